/** What the tests share: the real server, the misbehaving one, and a long result. */

import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const TERSED = process.env.TERSED_BIN ?? here("../../../../target/debug/tersed");
const FAKE = here("fake-server.mjs");

export const COMMAND = "cargo test";
export const PASSED = Array.from({ length: 80 }, (_, n) => `test cases::number_${n} ... ok\n`).join("");

/** A report of which all but the failure is dispensable. */
export const REPORT = `running 81 tests
${PASSED}test cases::the_last ... FAILED

failures:

---- cases::the_last stdout ----
thread 'cases::the_last' (7) panicked at src/lib.rs:9:5:
boom


failures:
    cases::the_last

test result: FAILED. 80 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
`;

/** A command of a server that misbehaves. */
export const fake = (mode) => [process.execPath, FAKE, mode];

/** Milliseconds for what never comes: every one of them is waited. */
export const DEADLINE = 2000;

/** Milliseconds for what comes: longer than anything here takes, also on a busy machine. */
export const GENEROUS = 300_000;

/** Milliseconds to wait for a failure of this reason. */
export const patience = (reason) => (reason === "timeout" ? DEADLINE : GENEROUS);

/** Commands that are no working server, and the reason with which they fail open. */
export const FAULTS = {
  missing: [["no-such-program-as-this"], "missing"],
  "no program": [[`${FAKE}/nothing`], "missing"],
  "exits at once": [fake("exits"), "exited"],
  "garbage at once": [fake("garbage"), "garbage"],
  "a flood of garbage": [fake("flood"), "garbage"],
  "never ready": [fake("silent"), "timeout"],
  "crashes in a request": [fake("crashes"), "exited"],
  "hangs in a request": [fake("hangs"), "timeout"],
  "garbage in a request": [fake("late-garbage"), "garbage"],
  "half an answer": [fake("half"), "exited"],
  "an answer of another shape": [fake("wrong-shape"), "error"],
  "a command that is no server": [[process.execPath, "-e", ""], "exited"],
};
