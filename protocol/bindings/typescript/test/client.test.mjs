/** The client against the real server, and what goes over the wire. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { test } from "node:test";

import {
  BinaryNotFound,
  Client,
  ClientClosed,
  Compressor,
  DEFAULT_BACKOFF,
  RequestCancelled,
  RequestTimeout,
  RpcError,
  VERSION,
  delay,
  findBinary,
} from "tersed-client";

import { COMMAND, GENEROUS, PASSED, REPORT, TERSED, fake } from "./support.mjs";

/** A compressor over the real server that ends with the test. */
function real(t, options = {}) {
  const compressor = new Compressor({ client: { command: TERSED }, sessionId: "s", deadline: GENEROUS, ...options });
  t.after(() => compressor.close());
  return compressor;
}

test("start gives what the server offers", async (t) => {
  const { client } = real(t);
  const offer = await client.start();
  assert.equal(offer.protocolVersion, 1);
  assert.ok(offer.methods.includes("toolResult/compress"));
  assert.equal(client.starts, 1);
});

test("a result becomes smaller and can be read back", async (t) => {
  const compressor = real(t, { policy: { expandTool: true } });
  const call = { tool: "bash", arguments: { command: COMMAND }, toolCallId: "c1", exitCode: 101 };
  const outcome = await compressor.compress(REPORT, call);
  assert.ok(outcome.content.length < REPORT.length / 2);
  assert.match(outcome.content, /cases::the_last \.\.\. FAILED/);
  assert.equal(outcome.evidence?.status, "compressed");
  const id = outcome.artifact.id;
  assert.equal(await compressor.read(id), REPORT);
  assert.equal(await compressor.read(id, { lines: [[2, 81]] }), PASSED);
  const found = await compressor.search(id, "number_40 ", { context: 1 });
  assert.deepEqual(found, [39, 40, 41].map((n) => [n + 2, `test cases::number_${n} ... ok`]));
  assert.equal((await compressor.compress(REPORT, call)).content, outcome.content);
});

test("agents, forks and summaries are contexts of their own", async (t) => {
  const compressor = real(t);
  const run = async (n, sessionId = "s") => {
    const call = { tool: "bash", arguments: { command: `${COMMAND} ${n}` }, toolCallId: `c${n}`, sessionId };
    return (await compressor.compress(REPORT, call)).content;
  };
  const refersTo = (text, call) => text.includes(`Duplicate of ${call} `) || text.includes(` as in ${call} `);
  const first = await run(1);
  assert.ok(!refersTo(await run(2, "agent"), "c1"));
  assert.equal(await compressor.fork("f"), true);
  assert.equal(await compressor.fork("f"), false);
  assert.ok(refersTo(await run(3, "f"), "c1"));
  await compressor.compacted();
  assert.equal(await run(1), first);
  assert.ok(!refersTo(await run(4), "c1"));
  await compressor.compacted(["c4"]);
  assert.ok(refersTo(await run(5), "c4"));
  assert.ok(refersTo(await run(6, "f"), "c1"));
  assert.equal(await compressor.fork("g", ["c9"]), true);
  assert.ok(!refersTo(await run(7, "g"), "c4"));
});

test("results that are not needed any more leave", async (t) => {
  const compressor = real(t);
  assert.equal((await compressor.reclaim([])).size, 0);
  const lines = Array.from({ length: 60 }, (_, n) => `unit_${n}.c takes ${100 + ((n * 7919) % 899)} bytes\n`);
  const first = lines.join("");
  const call = (toolCallId) => ({ tool: "bash", arguments: { command: "make all" }, toolCallId });
  for (const [id, text] of [
    ["c1", first],
    ["c2", first.replaceAll("bytes", "octets")],
  ]) {
    assert.ok((await compressor.compress(text, call(id))).content.includes("unit_7.c"));
    assert.equal((await compressor.reclaim([{ text: "", toolCallIds: [id] }])).size, 0);
  }
  const terms = { cache: "cold", minGain: 0 };
  const gone = await compressor.reclaim([{ text: "Both are done." }], { terms });
  assert.deepEqual([...gone.keys()], ["c1"]);
  assert.equal((await compressor.compress(first, call("c1"))).content, gone.get("c1"));
});

test("batches and bodies", async (t) => {
  const compressor = real(t);
  const [one, two] = await compressor.compressBatch([
    { tool: "bash", arguments: { command: COMMAND }, toolCallId: "1", content: REPORT },
    { tool: "bash", arguments: { command: "true" }, content: "fine\n" },
  ]);
  assert.ok(one.content.length < REPORT.length);
  assert.equal(two.content, "fine\n");
  const calls = [{ id: "9", function: { name: "bash", arguments: '{"command":"cargo test"}' } }];
  const body = {
    model: "any",
    messages: [
      { role: "user", content: "test it" },
      { role: "assistant", tool_calls: calls },
      { role: "tool", tool_call_id: "9", content: REPORT },
    ],
  };
  const { content, tokens, results } = await compressor.compressMessages(body, { sessionId: "other" });
  assert.deepEqual(content.messages.slice(0, 2), body.messages.slice(0, 2));
  assert.ok(content.messages[2].content.length < REPORT.length);
  assert.ok(tokens.after < tokens.before);
  assert.deepEqual(results.map((one) => one.toolCallId), ["9"]);
  const result = { tool: "bash", command: COMMAND, content: REPORT };
  const [small, whole] = await compressor.compressBatch([result, { result, fullOutput: true }]);
  assert.ok(small.content.length < REPORT.length);
  assert.equal(whole.content, REPORT);
});

test("a session tells what it has", async (t) => {
  const compressor = real(t, { policy: { expandTool: true } });
  const { artifact } = await compressor.compress(REPORT, { tool: "bash", command: COMMAND, toolCallId: "c1" });
  assert.deepEqual((await compressor.list()).map((one) => one.id), [artifact.id]);
  assert.equal((await compressor.stats()).total.results, 1);
  await compressor.closeSession();
  assert.deepEqual(await compressor.list(), []);
});

test("a stream has the policy and can end with its block", async (t) => {
  const compressor = real(t, { policy: { mode: "disabled" } });
  const stream = compressor.stream({ tool: "bash", command: COMMAND });
  await stream.append(REPORT);
  assert.equal((await stream.peek()).content, REPORT);
  assert.equal((await stream.close({ exitCode: 101 })).content, REPORT);
  await stream[Symbol.asyncDispose]();
  const left = compressor.stream({ tool: "bash", command: COMMAND });
  await left.append(REPORT);
  await left[Symbol.asyncDispose]();
  assert.ok((await left.close()).failure, "it was discarded");
});

test("streams", async (t) => {
  const compressor = real(t);
  const whole = await compressor.compress(REPORT, { tool: "bash", command: COMMAND, exitCode: 101 });
  const stream = compressor.stream({ tool: "bash", command: COMMAND });
  const appended = [];
  for (let at = 0; at < REPORT.length; at += 100) appended.push(stream.append(REPORT.slice(at, at + 100)));
  await Promise.all(appended);
  assert.equal((await stream.peek()).failure, undefined);
  const closed = await stream.close({ exitCode: 101 });
  assert.equal(closed.failure, undefined);
  assert.equal(closed.content, whole.content);
  const other = compressor.stream({ tool: "bash" });
  await other.append("x");
  await other.discard();
});

test("any text survives", async (t) => {
  const compressor = real(t);
  for (const text of ["", "é€𝄞\n", "\x00\x7f\r\n", '"\\']) {
    assert.equal((await compressor.compress(text)).failure, undefined, JSON.stringify(text));
  }
});

test("errors are those of the server", async (t) => {
  const { client } = real(t);
  await assert.rejects(client.request("no/such", {}), (e) => e instanceof RpcError && e.code === -32601);
  await assert.rejects(client.artifactRead({ id: "0000000000000000" }), { kind: "artifact_not_found" });
});

test("many at once", async (t) => {
  const compressor = real(t, { sessionId: undefined });
  const texts = Array.from({ length: 16 }, (_, n) => REPORT.replace("boom", `boom ${n}`));
  const outcomes = await Promise.all(texts.map((text) => compressor.compress(text, { command: COMMAND })));
  outcomes.forEach(({ content }, n) => assert.ok(content.includes(`boom ${n}\n`)));
  assert.equal(compressor.client.starts, 1);
});

test("a killed server is started again, with the policy of its sessions", { timeout: 60_000 }, async (t) => {
  const reasons = new Set();
  const compressor = real(t, { onFailure: ({ reason }) => reasons.add(reason) });
  const { client } = compressor;
  await client.sessionOpen({ sessionId: "s", policy: { mode: "disabled" } });
  for (let n = 0; n < 2; n += 1) {
    const { content, evidence } = await compressor.compress(REPORT, { command: COMMAND });
    assert.equal(content, REPORT);
    assert.equal(evidence?.mode, "disabled");
    const { pid } = client;
    process.kill(pid, "SIGKILL");
    while (client.pid === pid) await compressor.compress(REPORT);
  }
  for (const reason of reasons) assert.ok(["exited", "unavailable"].includes(reason), reason);
  assert.ok(client.starts >= 2);
});

test("close ends the server", async () => {
  const client = new Client({ command: TERSED });
  await client.start();
  await client.close();
  assert.equal(client.pid, undefined);
  await assert.rejects(client.start(), ClientClosed);
});

test("a waiting server does not keep its host alive", { timeout: 60_000 }, () => {
  const program = `
    import { Compressor } from "tersed-client";
    const compressor = new Compressor({ client: { command: ${JSON.stringify(TERSED)} } });
    process.stdout.write((await compressor.compress("fine")).content);`;
  const words = ["--input-type=module", "-e", program];
  const cwd = new URL("..", import.meta.url);
  assert.equal(spawnSync(process.execPath, words, { cwd, encoding: "utf8" }).stdout, "fine");
});

/** A client of the server that tells what was cancelled. */
function waiting(t) {
  let tell;
  const told = new Promise((done) => (tell = done));
  const onNotification = (method, params) => tell([method, params]);
  const client = new Client({ command: fake("waits"), onNotification });
  // A client that awaits no answer does not keep the process alive; the test does.
  const alive = setInterval(() => undefined, 1000);
  t.after(() => (clearInterval(alive), client.close(100)));
  return { client, told };
}

test("an aborted request is cancelled in the server", { timeout: 60_000 }, async (t) => {
  const { client, told } = waiting(t);
  await client.start();
  const abort = new AbortController();
  const pending = client.request("toolResult/compress", {}, { signal: abort.signal });
  setImmediate(() => abort.abort());
  await assert.rejects(pending, RequestCancelled);
  assert.deepEqual(await told, ["test/cancelled", { id: 2 }]);
  await assert.rejects(client.request("toolResult/compress", {}, { signal: abort.signal }), RequestCancelled);
});

test("a timeout cancels the request in the server", { timeout: 60_000 }, async (t) => {
  const { client, told } = waiting(t);
  await client.start();
  await assert.rejects(client.request("toolResult/compress", {}, { timeout: 10 }), RequestTimeout);
  assert.deepEqual(await told, ["test/cancelled", { id: 2 }]);
});

test("parameters arrive as they are", async (t) => {
  const client = new Client({ command: fake("echoes") });
  t.after(() => client.close());
  const params = { text: "é€𝄞\u2028", none: null };
  assert.deepEqual(await client.request("any/thing", params), { method: "any/thing", params });
});

test("the argument goes before the environment before the path", () => {
  const path = resolve(TERSED);
  const [PATH, TERSED_BIN] = [dirname(path), basename(path)];
  assert.equal(findBinary(path, { TERSED_BIN: "/x" }), path);
  assert.equal(findBinary(undefined, { TERSED_BIN, PATH }), join(PATH, TERSED_BIN));
  assert.equal(findBinary(undefined, { PATH }), join(PATH, "tersed"));
});

test("the program of the npm package goes before the path", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tersed-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const modules = join(folder, "node_modules");
  const client = join(modules, "tersed-client");
  mkdirSync(client, { recursive: true });
  for (const part of ["package.json", "dist"]) {
    cpSync(new URL(`../${part}`, import.meta.url), join(client, part), { recursive: true });
  }
  const program = `import { findBinary } from "tersed-client"; console.log(findBinary(undefined, { PATH: "" }));`;
  const found = () => spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: folder, encoding: "utf8" });
  assert.match(found().stderr, /no npm package tersed/);
  const file = process.platform === "win32" ? "tersed.exe" : "tersed";
  const machine = `tersed-${process.platform}-${process.arch}`;
  mkdirSync(join(modules, "tersed"));
  writeFileSync(join(modules, "tersed", "package.json"), "{}");
  // As npm lays packages out, and as those do that show a package only what it depends on.
  for (const place of [join(modules, machine), join(modules, "tersed", "node_modules", machine)]) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), "{}");
    writeFileSync(join(place, file), "#!/bin/sh\n", { mode: 0o755 });
    assert.equal(found().stdout.trim(), join(place, file));
    rmSync(place, { recursive: true });
  }
});

test("what is missing is named", () => {
  const named = (words) => (error) => error instanceof BinaryNotFound && error.message.includes(words);
  assert.throws(() => findBinary("/no/tersed", {}), named('the argument names "/no/tersed"'));
  assert.throws(() => findBinary(undefined, { TERSED_BIN: "/no/t" }), named('TERSED_BIN names "/no/t"'));
  assert.throws(() => findBinary(undefined, {}), named("no npm package tersed and no tersed on PATH"));
});

test("delays double up to a bound", () => {
  const backoff = { ...DEFAULT_BACKOFF, initial: 500, factor: 2, maximum: 3000 };
  assert.deepEqual([1, 2, 3, 4, 5, 6].map((n) => delay(backoff, n)), [0, 500, 1000, 2000, 3000, 3000]);
  assert.equal(delay(DEFAULT_BACKOFF, 100_000), 30_000);
});

test("the version is that of the package", () => {
  const read = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  assert.equal(JSON.parse(read).version, VERSION);
});
