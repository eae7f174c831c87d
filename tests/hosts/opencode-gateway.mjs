// OpenCode behind the gateway, without its plugin. Its provider here is no known one, so the gateway's address stands in its settings.

import { behind } from "./gateway.mjs";
import opencode from "./opencode.mjs";
import { readBack } from "./workspace.mjs";

export default behind(opencode, {
  expand: { tool: "bash", args: ({ passed }) => ({ command: readBack(passed), description: "Reads back" }) },
});
