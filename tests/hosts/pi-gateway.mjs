// pi behind the gateway, without its extension, with a provider that it knows: those get the gateway's address.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { behind } from "./gateway.mjs";
import pi from "./pi.mjs";
import { readBack } from "./workspace.mjs";

export default behind(pi, {
  expand: { tool: "bash", args: ({ passed }) => ({ command: readBack(passed) }) },
  configure({ home, model }) {
    const agent = join(home, ".pi/agent");
    mkdirSync(agent, { recursive: true });
    writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { openai: { baseUrl: model } } }));
  },
  args: ({ prompt }) => ["--offline", "--model", "openai/gpt-4.1", "--print", prompt],
  env: () => ({ PI_OFFLINE: "1", OPENAI_API_KEY: "none" }),
});
