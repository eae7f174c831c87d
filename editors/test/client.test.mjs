import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { PLUGINS, plugin } from "../build.mjs";
import { Tersed, exitCodeAtEnd, linesOf } from "../shared/client.mjs";
import { PASSED, PROGRAM, WAYS, broken, checkPassed, folder, handleOf, until } from "./common.mjs";

const RESULT = { toolCallId: "call_1", tool: "bash", arguments: { command: "cargo test" }, content: PASSED };

// No test of the real program depends on its speed.
const PATIENT = { deadlineMs: 300_000, startMs: 300_000 };

describe("the shared client", () => {
  it("compresses, reads back, and gives the same bytes for the same call", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT, policy: { expandTool: true } });
    const first = await tersed.compress("s", RESULT);
    checkPassed(first.content);
    assert.equal((await tersed.compress("s", RESULT)).content, first.content);
    assert.equal(await tersed.read("s", handleOf(first.content), [[2, 3]]), PASSED.split("\n").slice(1, 3).join("\n") + "\n");
    // A model may write the digits in capitals, or the whole marker.
    const marker = first.content.split("\n").find((line) => line.includes(`id ${handleOf(first.content)}`));
    for (const given of [handleOf(first.content).toUpperCase(), marker]) {
      assert.equal(await tersed.read("s", given, [[2, 3]]), PASSED.split("\n").slice(1, 3).join("\n") + "\n");
    }
    assert.equal((await tersed.stats("s")).total.results, 1);
    tersed.close();
  });

  it("works with the default policy where the one that is given is refused", async () => {
    const secret = "token ghp_" + "aB3dE5gH7jK9mN1pQ4rS6tU8vW2xY0zC5fL7\n";
    for (const policy of [{ mode: "agressive" }, { maxoutputbytes: 100 }]) {
      const tersed = new Tersed({ command: PROGRAM, ...PATIENT, policy: { expandTool: true, ...policy } });
      // Both are sent before `initialize` is answered.
      const results = ["1", "2"].map((toolCallId) => tersed.compress("s", { tool: "bash", toolCallId, content: secret }));
      for (const result of await Promise.all(results)) assert.doesNotMatch(result.content, /ghp_/);
      checkPassed((await tersed.compress("s", RESULT)).content);
      tersed.close();
    }
  });

  it("says so where there is no original", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT });
    assert.match(await tersed.read("s", "0123456789abcdef"), /^No original 0123456789abcdef/);
    tersed.close();
  });

  it("refers to an earlier result only for as long as it is visible", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT, policy: { expandTool: true } });
    await tersed.compress("s", RESULT);
    const again = await tersed.compress("s", { ...RESULT, toolCallId: "call_2", arguments: { command: "cargo test -q" } });
    assert.match(again.content, /^\[Duplicate of call_1 \(bash\)/);
    tersed.evicted("s", { visible: [] });
    const third = await tersed.compress("s", { ...RESULT, toolCallId: "call_3", arguments: { command: "cargo test -v" } });
    checkPassed(third.content);
    tersed.close();
  });

  it("forks a conversation, and forgets one that is summed up", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT, policy: { expandTool: true } });
    const run = async (session, n) => (await tersed.compress(session, { ...RESULT, toolCallId: `c${n}`, arguments: { command: `cargo test --jobs ${n}` } })).content;
    checkPassed(await run("s", 1));
    checkPassed(await run("agent", 2));
    assert.deepEqual(await tersed.fork("s", "f"), { sessionId: "f", created: true, calls: 1 });
    assert.match(await run("f", 3), /^\[Duplicate of c1 /);
    tersed.compacted("s");
    checkPassed(await run("s", 4));
    tersed.compacted("s", ["c4"]);
    assert.match(await run("s", 5), /^\[Duplicate of c4 /);
    assert.match(await run("f", 6), /^\[Duplicate of c1 /);
    assert.equal((await tersed.fork("s", "g", ["c9"])).created, true);
    checkPassed(await run("g", 7));
    tersed.close();
  });

  it("says what its host cuts away", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT, policy: { expandTool: true } });
    const run = async (n, more) => (await tersed.compress("s", { ...RESULT, toolCallId: `c${n}`, arguments: { command: `cargo test --jobs ${n}` } }, more)).content;
    checkPassed(await run(1, { hostCut: { characters: 80, keeps: "ends" } }));
    checkPassed(await run(2));
    assert.match(await run(3), /^\[Duplicate of c2 /);
    tersed.close();
  });

  it("takes many at once, large ones and other than ASCII", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT });
    const texts = Array.from({ length: 20 }, (_, i) => `${i} – größer\u2028💾 ${"x y ".repeat(i * 500)}`);
    const answers = await Promise.all(
      texts.map((content, i) => tersed.compress("s", { toolCallId: `c${i}`, tool: "t", content, fullOutput: true })),
    );
    assert.deepEqual(answers.map((answer) => answer.content), texts);
    tersed.close();
  });

  it("keeps parts that are no text", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT, policy: { expandTool: true } });
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const answer = await tersed.compress("s", { ...RESULT, content: [{ type: "text", text: PASSED }, image] });
    checkPassed(answer.content[0].text);
    assert.deepEqual(answer.content[1], image);
    tersed.close();
  });

  it("does not start a program for what can wait", async () => {
    const tersed = new Tersed({ command: PROGRAM, ...PATIENT });
    tersed.evicted("s", { visible: [] });
    tersed.compacted("s");
    assert.equal(await tersed.fork("s", "f"), null);
    assert.equal(await tersed.stats("s"), null);
    assert.equal(tersed.running, false);
  });

  it("gives up when the host does", async () => {
    const tersed = new Tersed({ command: broken("late"), deadlineMs: 60_000 });
    const host = new AbortController();
    const answer = tersed.compress("s", RESULT, { signal: host.signal });
    host.abort();
    assert.equal(await answer, null);
    tersed.close();
  });
});

describe("fails open", () => {
  for (const way of WAYS) {
    it(way, async () => {
      const tersed = new Tersed({ command: broken(way), deadlineMs: 150, startMs: 400 });
      for (let turn = 0; turn < 5; turn++) assert.equal(await tersed.compress("s", RESULT), null);
      assert.match(await tersed.read("s", "12345678"), /^No original/);
      tersed.close();
      assert.equal(await tersed.compress("s", RESULT), null);
    });
  }

  it("waits twice at most for a program that hangs", { timeout: 600_000 }, async () => {
    for (const way of ["hang", "late", "slow"]) {
      const starts = join(folder(), "starts");
      process.env.BROKEN_STARTS = starts;
      process.env.BROKEN_GREETS = join(folder(), "greets");
      const tersed = new Tersed({ command: broken(way), deadlineMs: 150, startMs: 3_600_000 });
      // A caller that cancels does not count as a wait without an answer, and the program has time to start.
      const host = new AbortController();
      const first = tersed.request("toolResult/compress", {}, { signal: host.signal, deadlineMs: 3_600_000 });
      await until(() => existsSync(starts));
      if (way === "late") await until(() => tersed.running);
      host.abort();
      assert.equal(await first, null);
      assert.equal(await tersed.compress("s", RESULT), null);
      if (way === "slow") {
        // An answer to `initialize` between two waits does not count.
        writeFileSync(process.env.BROKEN_GREETS, "");
        await until(() => tersed.running);
      }
      assert.equal(await tersed.compress("s", RESULT), null);
      // A request would wait longer than the test may take.
      for (let turn = 0; turn < 20; turn++) {
        assert.equal(await tersed.request("toolResult/compress", {}, { deadlineMs: 3_600_000 }), null);
      }
      assert.equal(tersed.running, false, "what hangs is ended");
      assert.equal(readFileSync(starts, "utf8").trim().split("\n").length, 1, way);
      tersed.close();
      delete process.env.BROKEN_STARTS;
      delete process.env.BROKEN_GREETS;
    }
  });

  it("starts a program that crashed again, after a pause", async () => {
    const starts = join(folder(), "starts");
    process.env.BROKEN_STARTS = starts;
    const tersed = new Tersed({ command: broken("crash"), ...PATIENT });
    const count = () => readFileSync(starts, "utf8").trim().split("\n").length;
    assert.equal(await tersed.compress("s", RESULT), null);
    assert.equal(count(), 1);
    // During the pause no program is started.
    assert.equal(await tersed.compress("s", RESULT), null);
    assert.equal(count(), 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await tersed.compress("s", RESULT), null);
    assert.equal(count(), 2);
    tersed.close();
    delete process.env.BROKEN_STARTS;
  });
});

describe("small things", () => {
  it("reads exit codes at the end alone", () => {
    const pattern = /exited with code (-?\d+)\s*$/;
    assert.equal(exitCodeAtEnd("a\nexited with code 101\n", pattern), 101);
    assert.equal(exitCodeAtEnd("exited with code 1\nand more", pattern), undefined);
  });

  it("reads ranges of lines", () => {
    assert.equal(linesOf({}), undefined);
    assert.deepEqual(linesOf({ first: 3, last: 9 }), [[3, 9]]);
    assert.deepEqual(linesOf({ last: "9" }), [[1, 9]]);
    assert.deepEqual(linesOf({ first: 2 }), [[2, Number.MAX_SAFE_INTEGER]]);
  });

  for (const [target, source] of Object.entries(PLUGINS)) {
    it(`editors/${target} is what its source gives`, () => {
      const text = readFileSync(new URL(`../${target}`, import.meta.url), "utf8");
      assert.ok(text === plugin(source), "run: node editors/build.mjs");
    });
  }
});
