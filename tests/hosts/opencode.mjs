// OpenCode: a plugin in the folder of the user.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const config = (home) => join(home, ".config/opencode");

export default {
  name: "opencode",
  packages: ["opencode-ai@1.18.33"],
  bin: "opencode",
  expand: "tersed_expand",
  calls: ({ work }) => [
    { kind: "passed", tool: "bash", args: { command: "./passes.sh", description: "Runs tests" } },
    { kind: "failed", tool: "bash", args: { command: "./fails.sh", description: "Runs tests" } },
    { kind: "read", tool: "read", args: { filePath: work.file } },
    { kind: "mcp", tool: "reports_report", args: {} },
    { kind: "again", tool: "bash", args: { command: "cat passed.txt", description: "Reads" } },
  ],
  settings: ({ work, model }) => ({
    autoupdate: false,
    share: "disabled",
    model: "loopback/scripted",
    small_model: "loopback/scripted",
    permission: "allow",
    provider: {
      loopback: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: model, apiKey: "none" },
        models: { scripted: { name: "Scripted", limit: { context: 200000, output: 8000 } } },
      },
    },
    mcp: { reports: { type: "local", command: work.mcp, enabled: true } },
  }),
  configure({ home, work, model }) {
    mkdirSync(config(home), { recursive: true });
    writeFileSync(join(config(home), "opencode.json"), JSON.stringify(this.settings({ work, model })));
  },
  install({ home, adapter }) {
    mkdirSync(join(config(home), "plugin"), { recursive: true });
    cpSync(join(adapter, "tersed.js"), join(config(home), "plugin/tersed.js"));
  },
  args: ({ prompt }) => ["run", "--model", "loopback/scripted", prompt],
  env: ({ home }) => ({
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local/state"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
  }),
};
