// The folder that a host works in: runs of tests that pass and fail, large files, a log, many files, and an MCP server.

import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cases = (from, count) => Array.from({ length: count }, (_, i) => `test tests::case_${from + i} ... ok`).join("\n");
const total = (passed, failed) =>
  `test result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s`;

export const PANIC = [
  "thread 'tests::odd_sides' (7) panicked at src/lib.rs:9:5:",
  "assertion `left == right` failed",
  "  left: 3",
  " right: 4",
];

const PASSED = `running 120 tests\n${cases(0, 120)}\n\n${total(120, 0)}\n`;
const FAILED = `running 121 tests\n${cases(0, 120)}\ntest tests::odd_sides ... FAILED\n\nfailures:\n\n---- tests::odd_sides stdout ----\n${PANIC.join("\n")}\n\n\nfailures:\n    tests::odd_sides\n\n${total(120, 1)}\n`;

/** A source file with `count` functions, whose names start so. */
const source = (count, name = "shape") =>
  Array.from({ length: count }, (_, i) => `export function ${name}_${i}(width, height) {
  const sides = [width, height, ${i}];
  if (sides.some((side) => side < 0)) {
    throw new RangeError("${name}_${i}: a side is negative");
  }
  return sides.reduce((area, side) => area + side * ${i + 1}, 0);
}
`).join("\n");

/** What a log of more than hosts show must keep. */
const ERROR = "ERROR worker 7: the disk of /srv/data is full";
const job = (n) => `2026-01-01 10:00:00 worker ${n} took job ${n * 7919} from queue ${(n * 31) % 17}\n`;
const log = Array.from({ length: 3750 }, (_, n) => job(n) + (n === 2250 ? `${ERROR}\n` : "")).join("");

/** What a result must hold with the adapter, also where the host cut it without. */
export const KEPT = { large: [ERROR] };

/** A small module, of which there are many. */
const part = (n) => `import { shape_${n % 60} } from "../fewer.js";\n\nexport const part_${n} = shape_${n % 60}(${n}, ${n + 1});\n`;
const PARTS = 240;

/** What a result must hold to be true, by kind of call. */
export const TRUE = {
  passed: [total(120, 0)],
  failed: [...PANIC, "test tests::odd_sides ... FAILED", total(120, 1)],
  read: ["export function shape_0(width, height) {", "export function shape_50(", "export function shape_159("],
  reread: ["const sides = [height, width, 50];"],
  range: ["const sides = [width, height, 120];", "return sides.reduce((area, side) => area + side * 121, 0);"],
  long: ["export function room_0(width, height) {", "export function room_249("],
  longReread: ["const sides = [height, width, 120];"],
  grep: ["shape_10(10, 11)", "shape_19(199, 200)"],
  find: ["part_0.js", "part_239.js"],
  orders: ["refused: the card has expired"],
  agent: ["120 passed"],
  agentPassed: [total(120, 0)],
  insists: ["const sides = [height, width, 50];", "const sides = [height, width, 3];", "const sides = [width, height, 49];"],
  mcp: [total(120, 0)],
  expand: ["test tests::case_0 ... ok\ntest tests::case_1 ... ok"],
};

/** The command that a text names for what it leaves out, for its second and third line. */
export const readBack = (text) => /tersed artifacts show [^\s\]`)]+/.exec(text)?.[0] ?? "echo no command";

/** The exit status of the run that fails. */
export const EXIT = 203;

/** Makes the folder and returns what calls need: files of different size, the command of the MCP server. */
export function workspace(path) {
  mkdirSync(join(path, "src"), { recursive: true });
  writeFileSync(join(path, "passed.txt"), PASSED);
  writeFileSync(join(path, "failed.txt"), FAILED);
  writeFileSync(join(path, "src/shapes.js"), source(160));
  writeFileSync(join(path, "src/fewer.js"), source(60));
  writeFileSync(join(path, "src/many.js"), source(250, "room"));
  for (let n = 0; n < PARTS; n++) {
    const folder = join(path, `src/parts/${n % 8}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `part_${n}.js`), part(n));
  }
  writeFileSync(join(path, "passes.sh"), "#!/bin/sh\ncat passed.txt\n");
  writeFileSync(join(path, "fails.sh"), `#!/bin/sh\ncat failed.txt\nexit ${EXIT}\n`);
  writeFileSync(join(path, "large.txt"), log);
  writeFileSync(join(path, "large.sh"), "#!/bin/sh\ncat large.txt\nexit 1\n");
  for (const script of ["passes.sh", "fails.sh", "large.sh"]) chmodSync(join(path, script), 0o755);
  cpSync(fileURLToPath(new URL("mcp.mjs", import.meta.url)), join(path, "mcp.mjs"));
  const mcp = [process.execPath, join(path, "mcp.mjs"), join(path, "passed.txt")];
  return { path, file: join(path, "src/shapes.js"), smallerFile: join(path, "src/fewer.js"), longFile: join(path, "src/many.js"), mcp };
}
