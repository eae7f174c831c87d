// GitHub Copilot CLI: an extension in the folder of the user, with a model of one's own and without an account.

import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export default {
  name: "copilot",
  packages: ["@github/copilot@1.0.102"],
  bin: "copilot",
  expand: "tersed_expand",
  calls: ({ work }) => [
    { kind: "passed", tool: "bash", args: { command: "./passes.sh", description: "Runs tests" } },
    { kind: "failed", tool: "bash", args: { command: "./fails.sh", description: "Runs tests" } },
    // It refuses larger files.
    { kind: "read", tool: "view", args: { path: work.smallerFile } },
    { kind: "mcp", tool: "reports-report", args: {} },
    { kind: "again", tool: "bash", args: { command: "cat passed.txt", description: "Reads" } },
  ],
  install({ home, adapter }) {
    const extension = join(home, ".copilot/extensions/tersed");
    mkdirSync(extension, { recursive: true });
    cpSync(join(adapter, "extension.mjs"), join(extension, "extension.mjs"));
  },
  args: ({ prompt, work }) => [
    "--experimental",
    "--allow-all-tools",
    "--allow-all-paths",
    "--trust-folder",
    "--no-auto-update",
    "--additional-mcp-config",
    JSON.stringify({
      mcpServers: { reports: { type: "local", command: work.mcp[0], args: work.mcp.slice(1), tools: ["*"] } },
    }),
    "--prompt",
    prompt,
  ],
  env: ({ model }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: model,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "scripted",
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "200000",
    COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8000",
  }),
};
