// Helpers for the tests of the JavaScript plugins: the program, broken stubs, and outputs of tools.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The program under test. */
export const PROGRAM = process.env.TERSED_BIN || at("../../target/debug/tersed");
assert.ok(existsSync(PROGRAM), `${PROGRAM} is missing; run: cargo build`);

export const BROKEN = at("broken.mjs");

/** Ways not to work, as `broken.mjs` knows them; `missing` is a path to nothing. */
export const WAYS = ["missing", "hang", "garbage", "exit", "crash", "late", "wrong", "error"];

/** Sets the environment that a plugin reads, and returns how the program is to be started. */
export function broken(way) {
  process.env.BROKEN = way;
  return way === "missing" ? "/nonexistent/tersed" : BROKEN;
}

/** Until `holds` does, however busy the machine is. */
export async function until(holds) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A folder that goes with the tests. */
export function folder() {
  const path = mkdtempSync(join(tmpdir(), "tersed-editors-"));
  after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const cases = (count) => Array.from({ length: count }, (_, i) => `test tests::case_${i} ... ok`).join("\n");

/** A run of tests that passed. */
export const PASSED = `running 60 tests\n${cases(60)}\n\ntest result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n`;

const PANIC =
  "thread 'tests::odd' (7) panicked at src/lib.rs:9:5:\nassertion `left == right` failed\n  left: 3\n right: 4";

/** A run of tests of which one failed. */
export const FAILED = `running 61 tests\n${cases(60)}\ntest tests::odd ... FAILED\n\nfailures:\n\n---- tests::odd stdout ----\n${PANIC}\n\n\nfailures:\n    tests::odd\n\ntest result: FAILED. 60 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n`;

/** Checks that `text` is `PASSED`, smaller and true. */
export function checkPassed(text) {
  assert.ok(text.length < PASSED.length / 3, text);
  assert.match(text, /\[tersed#\d{12}: omitted 60 lines 2-61, passing_tests, id [0-9a-f]{8}\]/);
  assert.match(text, /test result: ok\. 60 passed; 0 failed/);
}

/** Checks that `text` is `FAILED`, smaller and true. */
export function checkFailed(text) {
  assert.ok(text.length < FAILED.length / 2, text);
  for (const line of [...PANIC.split("\n"), "test tests::odd ... FAILED"]) assert.ok(text.includes(line), line);
  assert.match(text, /test result: FAILED\. 60 passed; 1 failed/);
}

/** The handle in the first marker of a text. */
export const handleOf = (text) => /, id ([0-9a-f]{8,})\]/.exec(text)[1];

/** Recorded events of a host, one JSON object a line. */
export function recorded(host) {
  const text = readFileSync(at(`recorded/${host}.jsonl`), "utf8");
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}
