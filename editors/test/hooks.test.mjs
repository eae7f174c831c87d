// The hooks of hosts that start a program for each event: their command lines as the hosts run them, on recorded events.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PROGRAM, folder } from "./common.mjs";

const read = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));

/** Events of one host: the command lines of its hooks, how long it waits for them in seconds, and an event of each kind. */
const HOSTS = {
  gemini: { hooks: Object.values(read("gemini/settings.json").hooks).flatMap(([{ hooks }]) => hooks), unit: 1000, event: "shell" },
  codex: { hooks: read("codex/hooks.json").hooks.PreToolUse[0].hooks, unit: 1, event: "pre-tool-use" },
  cursor: { hooks: Object.values(read("cursor/hooks.json").hooks).flat(), unit: 1, event: "mcp" },
  copilot: {
    hooks: read("copilot/hooks.json").hooks.postToolUse.map(({ bash, timeoutSec }) => ({ command: bash, timeout: timeoutSec })),
    unit: 1,
    event: "bash",
  },
};

// Stubs for a tersed that does not work, as shell scripts.
const BROKEN = {
  missing: null,
  "does not know the host": "echo 'error: invalid value' >&2; exit 2",
  crashes: "echo 'thread main panicked' >&2; kill -ABRT $$",
  "has another failure": "exit 1",
};

const place = folder();
let runs = 0;

/** Runs a command line with `tersed` from a folder of its own; what it printed. */
function run(command, event, install, cwd = place) {
  const home = join(place, `home-${runs++}`);
  mkdirSync(join(home, "bin"), { recursive: true });
  install(join(home, "bin/tersed"));
  const env = { PATH: `${join(home, "bin")}:/usr/bin:/bin`, HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home, TERSED_NO_CONFIG: "1" };
  chmodSync(home, 0o700);
  const child = spawn("bash", ["-c", command], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of Object.keys(output)) child[name].on("data", (piece) => (output[name] += piece));
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(event));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, home, ...output })));
}

for (const [name, { hooks, unit, event }] of Object.entries(HOSTS)) {
  describe(`the hooks of ${name}`, () => {
    it("do not hold the host up for long", () => {
      assert.ok(hooks.length > 0);
      for (const { timeout } of hooks) assert.ok(timeout / unit >= 5 && timeout / unit <= 10, `${timeout}`);
    });

    for (const [way, script] of Object.entries(BROKEN)) {
      it(`say nothing and end well where tersed ${way === "missing" ? "is missing" : way}`, async () => {
        for (const { command } of hooks) {
          // Messages of the shell about a crash do not matter to a host if the status is 0.
          const { status, stdout } = await run(command, read(`${name}/recorded/${event}.json`), (path) => {
            if (script !== null) writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
          });
          assert.deepEqual({ status, stdout }, { status: 0, stdout: "" });
        }
      });
    }
  });
}

describe("the program behind the hooks", () => {
  const ours = (path) => symlinkSync(PROGRAM, path);
  const answer = async (name, event, cwd) => {
    const { status, stdout, stderr } = await run(`${HOSTS[name].hooks[0].command}`, event, ours, cwd);
    assert.deepEqual([status, stderr], [0, ""]);
    return stdout === "" ? null : JSON.parse(stdout);
  };

  it("wraps a command for codex in one that can be run", async () => {
    const reply = await answer("codex", read("codex/recorded/pre-tool-use.json"));
    const { permissionDecision, updatedInput } = reply.hookSpecificOutput;
    assert.equal(permissionDecision, "allow");
    assert.match(updatedInput.command, /^\S*\/tersed run .*-- \.\/passes\.sh$/);
  });

  it("makes results smaller for copilot and cursor", async () => {
    const copilot = await answer("copilot", read("copilot/recorded/bash-failed.json"));
    const text = copilot.modifiedResult.textResultForLlm;
    assert.match(text, /test result: FAILED\. 120 passed; 1 failed/);
    assert.match(text, /\n<shellId: 1 completed with exit code 203>$/);
    assert.ok(text.length < 700, text);
    const cursor = await answer("cursor", read("cursor/recorded/mcp.json"));
    assert.match(cursor.updated_mcp_tool_output.content[0].text, /omitted 120 lines[^]*test result: ok\. 120 passed/);
  });

  it("says nothing to gemini where no server runs", async () => {
    assert.equal(await answer("gemini", { ...read("gemini/recorded/shell.json"), cwd: place }), null);
  });
});
