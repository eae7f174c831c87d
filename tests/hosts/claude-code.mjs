// Claude Code: a plugin whose MCP server is found in the PATH.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as anthropic from "./anthropic.mjs";

const edit = (work, old_string, new_string) => ({ file_path: work.smallerFile, old_string, new_string });

export default {
  name: "claude-code",
  packages: ["@anthropic-ai/claude-code@2.1.330", "@anthropic-ai/claude-code-linux-x64@2.1.330"],
  bin: "@anthropic-ai/claude-code-linux-x64/claude",
  scriptedModel: anthropic,
  expand: "mcp__plugin_tersed_tersed__tersed_expand",
  // Without the plugin.
  wiredExpand: "mcp__tersed__tersed_expand",
  // The first view of a file stays, and so does one that is asked for again.
  unchanged: ["read", "edit", "insists", "edited"],
  calls: ({ work }) => [
    { kind: "passed", tool: "Bash", args: { command: "./passes.sh", description: "Runs tests" } },
    { kind: "failed", tool: "Bash", args: { command: "./fails.sh", description: "Runs tests" } },
    { kind: "read", tool: "Read", args: { file_path: work.smallerFile } },
    { kind: "edit", tool: "Edit", args: edit(work, "width, height, 50", "height, width, 50") },
    { kind: "reread", tool: "Read", args: { file_path: work.smallerFile } },
    { kind: "edited", tool: "Edit", args: edit(work, "width, height, 3]", "height, width, 3]") },
    { kind: "insists", tool: "Read", args: { file_path: work.smallerFile } },
    { kind: "mcp", tool: "mcp__reports__report", args: {} },
    { kind: "large", tool: "Bash", args: { command: "./large.sh", description: "Shows a log" } },
    { kind: "again", tool: "Bash", args: { command: "cat passed.txt", description: "Reads" } },
  ],
  configure({ home, work }) {
    const [command, ...args] = work.mcp;
    writeFileSync(join(home, "mcp.json"), JSON.stringify({ mcpServers: { reports: { command, args } } }));
  },
  install(about) {
    mkdirSync(join(about.place, "bin"));
    symlinkSync(about.binary, join(about.place, "bin/tersed"));
    about.plugin = about.adapter;
  },
  path: ({ place }) => [join(place, "bin")],
  args: ({ prompt, home, plugin }) => [
    ...["--print", prompt, "--dangerously-skip-permissions", "--mcp-config", join(home, "mcp.json")],
    ...(plugin ? ["--plugin-dir", plugin] : []),
  ],
  env: ({ model }) => ({
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "none",
    IS_SANDBOX: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // The user's word that commands may be wrapped, without which runs that fail stay as they are.
    TERSED_WRAP: "1",
  }),
};
