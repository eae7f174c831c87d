// Cline CLI: a plugin in the folder of the user, with a model of one's own and without an account.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export default {
  name: "cline",
  packages: ["cline@3.0.65", "@cline/cli-linux-x64@3.0.65"],
  bin: "@cline/cli-linux-x64/bin/cline",
  expand: "tersed_expand",
  calls: ({ work }) => [
    { kind: "passed", tool: "run_commands", args: { commands: ["./passes.sh"] } },
    { kind: "failed", tool: "run_commands", args: { commands: ["./fails.sh"] } },
    { kind: "read", tool: "read_files", args: { files: [{ path: work.file }] } },
    { kind: "mcp", tool: "reports__report", args: {} },
    { kind: "again", tool: "run_commands", args: { commands: ["cat passed.txt"] } },
  ],
  configure({ home, work, model }) {
    const settings = join(home, ".cline/data/settings");
    mkdirSync(settings, { recursive: true });
    const [command, ...args] = work.mcp;
    writeFileSync(join(settings, "cline_mcp_settings.json"), JSON.stringify({ mcpServers: { reports: { command, args } } }));
    const provider = { provider: "openai-compatible", apiKey: "none", model: "scripted", baseUrl: model };
    const providers = { "openai-compatible": { settings: provider, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" } };
    writeFileSync(join(settings, "providers.json"), JSON.stringify({ version: 1, lastUsedProvider: "openai-compatible", providers }));
  },
  install({ home, adapter }) {
    const plugins = join(home, ".cline/plugins");
    mkdirSync(plugins, { recursive: true });
    cpSync(join(adapter, "tersed.js"), join(plugins, "tersed.js"));
  },
  args: ({ prompt }) => ["--json", "--auto-approve", "true", "-P", "openai-compatible", "-m", "scripted", "-k", "none", prompt],
  env: () => ({ CLINE_NO_AUTO_UPDATE: "1" }),
  // The process that Cline leaves running for later sessions.
  async stop({ home }) {
    try {
      const { pid } = JSON.parse(readFileSync(join(home, ".cline/data/locks/hub/production.json"), "utf8"));
      process.kill(pid);
      for (let left = 50; left > 0; left--) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        process.kill(pid, 0);
      }
      process.kill(pid, "SIGKILL");
    } catch {
      // It did not start, or has ended.
    }
  },
};
