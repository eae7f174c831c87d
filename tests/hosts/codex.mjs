// Codex CLI: hooks and an MCP server in the configuration of the user, with a model of one's own.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const config = (home) => join(home, ".codex");

export default {
  name: "codex",
  packages: ["@openai/codex@0.169.0"],
  bin: "codex",
  calls: ({ work }) => [
    { kind: "passed", tool: "exec_command", args: { cmd: "./passes.sh" } },
    { kind: "failed", tool: "exec_command", args: { cmd: "./fails.sh" } },
    { kind: "read", tool: "exec_command", args: { cmd: `cat ${work.smallerFile}`, max_output_tokens: 20000 } },
    { kind: "mcp", tool: "mcp__reports__report", args: {} },
    { kind: "again", tool: "exec_command", args: { cmd: "cat passed.txt" } },
  ],
  configure({ home, work, model }) {
    mkdirSync(config(home), { recursive: true });
    const [command, ...args] = work.mcp;
    writeFileSync(
      join(config(home), "config.toml"),
      `model = "scripted"
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
  args: ({ prompt }) => [
    ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
    ...["--dangerously-bypass-hook-trust", prompt],
  ],
  env: ({ home }) => ({ CODEX_HOME: config(home) }),
};
