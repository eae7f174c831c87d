// Codex CLI with one of its own models, whose only tool is a program that runs the others. The program must read
// exactly the output of the commands, and print the same with the adapter as without.

import codex from "./codex.mjs";

const exec = (kind, program) => ({ kind, tool: "exec", program });
const command = (cmd, more = {}) => `tools.exec_command(${JSON.stringify({ cmd, ...more })})`;

export default {
  ...codex,
  name: "codex-code",
  installed: "codex",
  adapter: "codex",
  model: "gpt-5.6-sol",
  expand: undefined,
  references: false,
  // No hook gets the output of a program.
  same: ["passed", "failed", "counted", "read", "mcp", "again", "both"],
  calls: ({ work }) => [
    exec("passed", `const r = await ${command("./passes.sh")}; text(r.output);`),
    exec("failed", `const r = await ${command("./fails.sh")}; text({ exit_code: r.exit_code, output: r.output });`),
    exec(
      "counted",
      `const r = await ${command("cat passed.txt")}; text(r.output.split("\\n").filter((line) => line.endsWith("... ok")).length + " passed");`,
    ),
    exec("read", `const r = await ${command(`cat ${work.smallerFile}`, { max_output_tokens: 20000 })}; text(r.output);`),
    exec("mcp", "const r = await tools.mcp__reports__report({}); text(r.content[0].text);"),
    exec("again", `const r = await ${command("cat passed.txt")}; text(r.output);`),
    exec(
      "both",
      `const all = await Promise.all([${command("cat passed.txt")}, ${command("cat failed.txt")}]); text(all.map((r) => r.output.length).join());`,
    ),
  ],
  normalize: (text) => codex.normalize(text).replace(/Wall time [\d.]+/g, "Wall time N"),
};
