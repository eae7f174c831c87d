// Claude Code: a plugin whose MCP server is found in the PATH.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as anthropic from "./anthropic.mjs";

const edit = (file_path, old_string, new_string) => ({ file_path, old_string, new_string });

/** What a sub-agent says at the end. */
const REPORT = "I ran the tests with `./passes.sh`.\n\n- 120 passed\n- none failed\n";

export default {
  name: "claude-code",
  packages: ["@anthropic-ai/claude-code@2.1.332", "@anthropic-ai/claude-code-linux-x64@2.1.332"],
  bin: "@anthropic-ai/claude-code-linux-x64/claude",
  scriptedModel: anthropic,
  expand: "mcp__plugin_tersed_tersed__tersed_expand",
  // Without the plugin.
  wiredExpand: "mcp__tersed__tersed_expand",
  // A repeated request gets the whole file.
  unchanged: ["edit", "edited", "insists", "range", "grep", "longEdit", "agent"],
  calls: ({ work }) => [
    { kind: "passed", tool: "Bash", args: { command: "./passes.sh", description: "Runs tests" } },
    { kind: "failed", tool: "Bash", args: { command: "./fails.sh", description: "Runs tests" } },
    { kind: "read", tool: "Read", args: { file_path: work.smallerFile } },
    { kind: "edit", tool: "Edit", args: edit(work.smallerFile, "width, height, 50", "height, width, 50") },
    { kind: "reread", tool: "Read", args: { file_path: work.smallerFile } },
    { kind: "edited", tool: "Edit", args: edit(work.smallerFile, "width, height, 3]", "height, width, 3]") },
    { kind: "insists", tool: "Read", args: { file_path: work.smallerFile } },
    { kind: "long", tool: "Read", args: { file_path: work.longFile } },
    { kind: "range", tool: "Read", args: { file_path: work.longFile, offset: 961, limit: 8 } },
    { kind: "longEdit", tool: "Edit", args: edit(work.longFile, "width, height, 120", "height, width, 120") },
    { kind: "longReread", tool: "Read", args: { file_path: work.longFile } },
    { kind: "grep", tool: "Bash", args: { command: "grep -rn 'shape_1[0-9](' src/parts | sort", description: "Searches" } },
    { kind: "find", tool: "Bash", args: { command: "find src -type f | sort", description: "Lists files" } },
    { kind: "mcp", tool: "mcp__reports__report", args: {} },
    { kind: "orders", tool: "mcp__reports__orders", args: {} },
    { kind: "large", tool: "Bash", args: { command: "./large.sh", description: "Shows a log" } },
    {
      kind: "agent",
      tool: "Agent",
      args: { description: "Runs tests", prompt: "Run ./passes.sh and say how many tests passed.", subagent_type: "general-purpose", run_in_background: false },
      inner: [{ kind: "agentPassed", tool: "Bash", args: { command: "./passes.sh", description: "Runs tests" } }],
      report: REPORT,
    },
    { kind: "again", tool: "Bash", args: { command: "cat passed.txt", description: "Reads" } },
  ],
  normalize: (text) =>
    text.replace(/\bagentId: \w+/, "agentId: N").replace(/\b(duration_ms|total_tokens): \d+/g, "$1: N").replace(/to: '\w+'/, "to: 'N'"),
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
    // The user's permission to wrap commands; without it failed runs are unchanged.
    TERSED_WRAP: "1",
  }),
};
