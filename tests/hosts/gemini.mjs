// Gemini CLI: hooks and an MCP server in the settings of the user.

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as google from "./google.mjs";
import { readBack } from "./workspace.mjs";

export default {
  name: "gemini",
  packages: ["@google/gemini-cli@0.61.0"],
  bin: "gemini",
  scriptedModel: google,
  expand: { tool: "run_shell_command", args: ({ passed }) => ({ command: readBack(passed), description: "Reads back" }) },
  // Gemini gives a hook no call id.
  references: false,
  calls: ({ work }) => [
    { kind: "passed", tool: "run_shell_command", args: { command: "./passes.sh", description: "Runs tests" } },
    { kind: "failed", tool: "run_shell_command", args: { command: "./fails.sh", description: "Runs tests" } },
    { kind: "read", tool: "read_file", args: { file_path: work.file } },
    { kind: "mcp", tool: "mcp_reports_report", args: {} },
    { kind: "again", tool: "run_shell_command", args: { command: "cat passed.txt", description: "Reads" } },
  ],
  settings: ({ work }) => {
    const [command, ...args] = work.mcp;
    return {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      mcpServers: { reports: { command, args, trust: true } },
    };
  },
  write(home, settings) {
    mkdirSync(join(home, ".gemini"), { recursive: true });
    writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  },
  configure(about) {
    this.write(about.home, this.settings(about));
  },
  install(about) {
    mkdirSync(join(about.place, "bin"));
    symlinkSync(about.binary, join(about.place, "bin/tersed"));
    const ours = JSON.parse(readFileSync(join(about.adapter, "settings.json"), "utf8"));
    const settings = this.settings(about);
    this.write(about.home, { ...settings, ...ours, mcpServers: { ...settings.mcpServers, ...ours.mcpServers } });
  },
  path: ({ place }) => [join(place, "bin")],
  args: ({ prompt }) => ["--yolo", "--model", "gemini-2.5-flash", "--prompt", prompt],
  env: ({ model }) => ({
    GOOGLE_GEMINI_BASE_URL: model,
    GEMINI_API_KEY: "none",
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  // The process group of a command.
  normalize: (text) => text.replace(/Process Group PGID: \d+/g, "Process Group PGID: N"),
};
