// Claude Code behind the gateway, without the plugin.

import { behind } from "./gateway.mjs";
import claude from "./claude-code.mjs";
import { readBack } from "./workspace.mjs";

export default behind(claude, {
  expand: { tool: "Bash", args: ({ passed }) => ({ command: readBack(passed), description: "Reads back" }) },
  unchanged: ["edit", "edited", "insists", "range", "grep", "longEdit", "agent", "large"],
});
