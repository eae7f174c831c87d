// pi: an extension in the folder of the user.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export default {
  name: "pi",
  packages: ["@mariozechner/pi-coding-agent@0.73.1"],
  bin: "pi",
  expand: "tersed_expand",
  calls: ({ work }) => [
    { kind: "passed", tool: "bash", args: { command: "./passes.sh" } },
    { kind: "failed", tool: "bash", args: { command: "./fails.sh" } },
    { kind: "read", tool: "read", args: { path: work.file } },
    { kind: "again", tool: "bash", args: { command: "cat passed.txt" } },
  ],
  configure({ home, model }) {
    const agent = join(home, ".pi/agent");
    mkdirSync(agent, { recursive: true });
    const provider = {
      baseUrl: model,
      api: "openai-completions",
      apiKey: "none",
      models: [{ id: "scripted", contextWindow: 200000, maxTokens: 8000 }],
    };
    writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { loopback: provider } }));
  },
  install({ home, adapter }) {
    const extensions = join(home, ".pi/agent/extensions");
    mkdirSync(extensions, { recursive: true });
    cpSync(join(adapter, "tersed.js"), join(extensions, "tersed.js"));
  },
  args: ({ prompt }) => ["--offline", "--model", "loopback/scripted", "--print", prompt],
  env: () => ({ PI_OFFLINE: "1" }),
};
