// Codex CLI: hooks and an MCP server in the configuration of the user, with a model of one's own.

import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readBack } from "./workspace.mjs";

/** What a sub-agent is asked. */
const PROMPT = "Run ./passes.sh and say how many tests passed.";

const config = (home) => join(home, ".codex");

export default {
  name: "codex",
  // A name that Codex does not know: it then assumes a model that calls tools one by one.
  model: "scripted",
  packages: ["@openai/codex@0.171.0"],
  bin: "codex",
  expand: { tool: "exec_command", args: ({ passed }) => ({ cmd: readBack(passed) }) },
  // A result of an MCP tool cannot be replaced there, and Codex cuts a file that is printed by itself; see the
  // adapter's README.
  unchanged: ["longEdit", "grep", "mcp", "orders", "spawned", "agent"],
  calls: ({ work }) => [
    { kind: "passed", tool: "exec_command", args: { cmd: "./passes.sh" } },
    { kind: "failed", tool: "exec_command", args: { cmd: "./fails.sh" } },
    { kind: "read", tool: "exec_command", args: { cmd: `cat ${work.smallerFile}`, max_output_tokens: 20000 } },
    { kind: "long", tool: "exec_command", args: { cmd: "cat src/many.js", max_output_tokens: 20000 } },
    { kind: "longEdit", tool: "exec_command", args: { cmd: "sed -i 's/width, height, 120/height, width, 120/' src/many.js" } },
    { kind: "longReread", tool: "exec_command", args: { cmd: "cat src/many.js", max_output_tokens: 20000 } },
    { kind: "grep", tool: "exec_command", args: { cmd: "grep -rn 'shape_1[0-9](' src/parts | sort" } },
    { kind: "find", tool: "exec_command", args: { cmd: "find src -type f | sort" } },
    { kind: "mcp", tool: "mcp__reports__report", args: {} },
    { kind: "orders", tool: "mcp__reports__orders", args: {} },
    { kind: "large", tool: "exec_command", args: { cmd: "./large.sh" } },
    {
      kind: "spawned",
      tool: "multi_agent_v1__spawn_agent",
      args: { message: PROMPT },
      prompt: PROMPT,
      inner: [{ kind: "agentPassed", tool: "exec_command", args: { cmd: "./passes.sh" } }],
      report: "I ran the tests with `./passes.sh`.\n\n- 120 passed\n- none failed\n",
    },
    {
      kind: "agent",
      tool: "multi_agent_v1__wait_agent",
      args: ({ spawned }) => ({ targets: [/"agent_id":"([^"]+)"/.exec(spawned)?.[1] ?? "none"], timeout_ms: 60000 }),
    },
    { kind: "again", tool: "exec_command", args: { cmd: "cat passed.txt" } },
  ],
  configure({ place, home, work, model }) {
    mkdirSync(config(home), { recursive: true });
    // Commands run in a login shell, which sets its own PATH.
    writeFileSync(join(home, ".profile"), `PATH=${join(place, "bin")}:$PATH\n`);
    const [command, ...args] = work.mcp;
    writeFileSync(
      join(config(home), "config.toml"),
      `model = ${JSON.stringify(this.model)}
model_provider = "loopback"
check_for_update_on_startup = false

[model_providers.loopback]
name = "loopback"
base_url = ${JSON.stringify(model)}
wire_api = "responses"

[mcp_servers.reports]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
`,
    );
  },
  install(about) {
    mkdirSync(join(about.place, "bin"));
    symlinkSync(about.binary, join(about.place, "bin/tersed"));
    cpSync(join(about.adapter, "hooks.json"), join(config(about.home), "hooks.json"));
  },
  path: ({ place }) => [join(place, "bin")],
  args: ({ prompt }) => [
    ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
    ...["--dangerously-bypass-hook-trust", prompt],
  ],
  env: ({ home }) => ({ CODEX_HOME: config(home) }),
  normalize: (text) =>
    text
      .replace(/^Chunk ID: \w+/, "Chunk ID: N")
      .replace(/^Wall time: [\d.]+/m, "Wall time: N")
      .replace(/^Original token count: \d+/m, "Original token count: N")
      // Of an agent.
      .replace(/"nickname":"[^"]*"/, '"nickname":"N"')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID"),
};
