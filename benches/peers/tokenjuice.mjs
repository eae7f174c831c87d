// tokenjuice, for `figures::a_peer` (`protocol/measured.md`): a JSON object a line with tool, command, exitCode and text comes in, a JSON
// string with what its adapters would give the model goes out. `npm install tokenjuice@0.8.5` in the folder that TOKENJUICE names.

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const program = join(process.env.TOKENJUICE ?? ".", "node_modules/.bin/tokenjuice");

for await (const line of createInterface({ input: process.stdin })) {
  const { command, exitCode, text } = JSON.parse(line);
  const call = command ? { command, argv: command.split(" ") } : {};
  const input = JSON.stringify({ toolName: "exec", ...call, exitCode: exitCode ?? 0, combinedText: text });
  const { status, stdout, stderr } = spawnSync(program, ["reduce-json"], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr);
  console.log(JSON.stringify(JSON.parse(stdout).inlineText));
}
