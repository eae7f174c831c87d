// OpenCode behind the gateway, without its plugin, with a provider that it knows: those get the gateway's address.

import { behind } from "./gateway.mjs";
import opencode from "./opencode.mjs";
import { readBack } from "./workspace.mjs";

export default behind(opencode, {
  expand: { tool: "bash", args: ({ passed }) => ({ command: readBack(passed), description: "Reads back" }) },
  settings(about) {
    const { provider, ...others } = opencode.settings(about);
    return { ...others, model: "openai/scripted", small_model: "openai/scripted", provider: { openai: provider.loopback } };
  },
  args: ({ prompt }) => ["run", "--model", "openai/scripted", prompt],
});
