/** With no working server the original comes back, in time and with a reason. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { Client, Compressor, RedactionFailed, RpcError } from "tersed-client";

import { DEADLINE, FAULTS, GENEROUS, REPORT, TERSED, fake, patience } from "./support.mjs";

const TEST = { timeout: 900_000 };

function failing(command, told = [], deadline = GENEROUS, client = {}) {
  return new Compressor({
    client: { command, startTimeout: deadline, ...client },
    sessionId: "s",
    deadline,
    onFailure: (failure) => told.push(failure),
  });
}

for (const [name, [command, reason]] of Object.entries(FAULTS)) {
  test(`the original comes back: ${name}`, TEST, async () => {
    const told = [];
    const compressor = failing(command, told, patience(reason));
    const outcome = await compressor.compress(REPORT, { tool: "bash", toolCallId: "1" });
    assert.equal(outcome.content, REPORT);
    assert.equal(outcome.evidence, undefined);
    assert.equal(outcome.failure?.reason, reason, String(outcome.failure?.error));
    assert.deepEqual(told, [outcome.failure]);
    await compressor.close();
  });
}

test("a missing program warns once", () => {
  const script = `import { Compressor } from "tersed-client";
    for (let n = 0; n < 3; n++) await new Compressor({ client: { command: "no-such-program-as-this" } }).compress("text");`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  assert.equal(ran.stderr.split("nothing is compressed").length, 2, ran.stderr);
});

for (const name of ["missing", "crashes in a request", "an answer of another shape"]) {
  test(`every helper gives the original: ${name}`, TEST, async () => {
    const compressor = failing(FAULTS[name][0]);
    const parts = [{ type: "text", text: REPORT }];
    const body = { messages: [{ role: "tool", tool_call_id: "1", content: REPORT }] };
    assert.equal((await compressor.compress(parts)).content, parts);
    const outcomes = await compressor.compressBatch([{ content: REPORT }, { content: parts }]);
    assert.deepEqual(outcomes.map((o) => o.content), [REPORT, parts]);
    assert.equal((await compressor.compressMessages(body)).content, body);
    assert.equal(await compressor.read("2f9a3daa"), undefined);
    assert.equal(await compressor.search("2f9a3daa", "x"), undefined);
    assert.equal(await compressor.list(), undefined);
    assert.equal(await compressor.stats(), undefined);
    await compressor.closeSession();
    await compressor.evicted(["1"]);
    const stream = compressor.stream({ tool: "bash" });
    await stream.append("one\n");
    await stream.append("two\n");
    assert.equal((await stream.peek()).content, "one\ntwo\n");
    const outcome = await stream.close({ exitCode: 1 });
    assert.equal(outcome.content, "one\ntwo\n");
    assert.ok(outcome.failure);
    const named = compressor.stream({ tool: "bash" });
    await named.append("out\n", "stdout");
    await named.append("err\n", "stderr");
    assert.deepEqual((await named.close()).content, [
      { type: "text", text: "out\n" },
      { type: "text", text: "err\n" },
    ]);
    await compressor.close();
  });
}

test("a failure is not tried again at once", async () => {
  const backoff = { initial: 3_600_000, maximum: 3_600_000 };
  const compressor = failing(fake("exits"), [], GENEROUS, { backoff });
  const reasons = [];
  for (let n = 0; n < 5; n += 1) reasons.push((await compressor.compress(REPORT)).failure?.reason);
  assert.deepEqual(reasons.slice(0, 2), ["exited", "unavailable"]);
  assert.equal(compressor.client.starts, 1);
  await compressor.close();
});

test("a server that hangs is killed", TEST, async () => {
  const compressor = failing(fake("hangs"), [], DEADLINE, { startTimeout: GENEROUS });
  // What is waited for below is the hanging alone.
  await compressor.client.start({ timeout: GENEROUS });
  await compressor.compress(REPORT);
  const first = compressor.client.pid;
  assert.notEqual(first, undefined);
  await compressor.compress(REPORT);
  assert.notEqual(compressor.client.pid, first);
  assert.equal((await compressor.compress(REPORT)).failure?.reason, "unavailable");
  await compressor.close();
});

for (const mode of ["silent", "hangs"]) {
  test(`after two waits in a row nobody waits: ${mode}`, TEST, async () => {
    const client = { command: fake(mode), startTimeout: 3_600_000 };
    const compressor = new Compressor({ client, sessionId: "s", deadline: DEADLINE });
    const reasons = [];
    for (let n = 0; n < 5; n += 1) reasons.push((await compressor.compress(REPORT)).failure?.reason);
    assert.deepEqual(reasons, ["timeout", "timeout", "unavailable", "unavailable", "unavailable"]);
    assert.equal(compressor.client.starts, 1, "nobody else is started to be waited for");
    await compressor.close();
  });
}

test("a setting that is refused does not count", TEST, async (t) => {
  const secret = "token ghp_" + "aB3dE5gH7jK9mN1pQ4rS6tU8vW2xY0zC5fL7\n";
  const warnings = [];
  t.mock.method(process, "emitWarning", (message) => warnings.push(message));
  for (const policy of [{ mode: "agressive" }, { maxoutputbytes: 100 }]) {
    for (const options of [
      { client: { command: TERSED }, policy },
      { client: { command: TERSED, options: { policy } } },
    ]) {
      const told = [];
      warnings.length = 0;
      const compressor = new Compressor({ ...options, sessionId: "s", onFailure: (one) => told.push(one) });
      for (let n = 0; n < 3; n += 1) {
        assert.doesNotMatch((await compressor.compress(secret, { tool: "bash" })).content, /ghp_/);
      }
      const stream = compressor.stream({ tool: "bash" });
      await stream.append(secret);
      assert.doesNotMatch((await stream.close()).content, /ghp_/);
      assert.deepEqual(told, []);
      assert.equal(warnings.length, 1, String(warnings));
      await compressor.close();
    }
  }
  // A client that throws says so.
  const client = new Client({ command: TERSED, options: { policy: { mode: "agressive" } } });
  await assert.rejects(client.start(), RpcError);
  await client.close();
});

test("what is no JSON fails open", async () => {
  const compressor = failing(fake("echoes"));
  const outcome = await compressor.compress(REPORT, { arguments: { x: 1n } });
  assert.equal(outcome.content, REPORT);
  assert.equal(outcome.failure?.reason, "unserializable");
  await compressor.close();
});

test("a callback that throws changes nothing", async () => {
  const onFailure = () => {
    throw new Error("callback");
  };
  const compressor = new Compressor({ client: { command: FAULTS.missing[0] }, onFailure });
  assert.equal((await compressor.compress(REPORT)).content, REPORT);
});

test("redaction fails closed", async () => {
  const compressor = failing(fake("redaction"));
  await assert.rejects(compressor.compress(REPORT), RedactionFailed);
  await compressor.close();
});

test("a closed compressor gives the original", async () => {
  const compressor = failing(fake("echoes"));
  await compressor.close();
  assert.equal((await compressor.compress(REPORT)).content, REPORT);
});
