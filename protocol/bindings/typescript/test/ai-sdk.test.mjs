/** The adapter for the AI SDK, with the real package and a scripted model. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Compressor } from "tersed-client";
import { compressHistory, compressTools, compressionMiddleware } from "tersed-client/ai-sdk";

import { COMMAND, FAULTS, GENEROUS, REPORT, TERSED } from "./support.mjs";

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls a tool and then says that it is done. */
function scripted(toolName, input = { command: COMMAND }) {
  const call = { type: "tool-call", toolCallId: "call_1", toolName, input: JSON.stringify(input) };
  const reason = (unified) => ({ unified, raw: unified });
  return new MockLanguageModelV4({
    doGenerate: [
      { content: [call], finishReason: reason("tool-calls"), usage: USAGE, warnings: [] },
      { content: [{ type: "text", text: "done" }], finishReason: reason("stop"), usage: USAGE, warnings: [] },
    ],
  });
}

function shell(execute) {
  const schema = { type: "object", properties: { command: { type: "string" } } };
  return tool({ description: "Runs a command.", inputSchema: jsonSchema(schema), execute });
}

function compressor(t, command = TERSED) {
  const made = new Compressor({ client: { command }, sessionId: "s", deadline: GENEROUS });
  t.after(() => made.close());
  return made;
}

/** The result that the model saw in its second step. */
function seen(model) {
  const { prompt } = model.doGenerateCalls[1];
  return prompt.find((message) => message.role === "tool").content[0].output;
}

async function run(model, tools) {
  const options = { model, tools, prompt: "test it", stopWhen: stepCountIs(3) };
  const result = await generateText(options);
  assert.equal(result.text, "done");
  return result;
}

test("tools: the model sees less, the application sees all", async (t) => {
  const model = scripted("bash");
  const tools = compressTools({ bash: shell(() => REPORT) }, { compressor: compressor(t) });
  const result = await run(model, tools);
  assert.equal(seen(model).type, "text");
  assert.ok(seen(model).value.length < REPORT.length / 2);
  assert.match(seen(model).value, /cases::the_last \.\.\. FAILED/);
  assert.equal(result.steps[0].toolResults[0].output, REPORT);
});

test("tools: what a command wrote keeps its form", async (t) => {
  const model = scripted("bash");
  const bash = shell(() => ({ stdout: REPORT, stderr: "warned\n", exitCode: 101 }));
  await run(model, compressTools({ bash }, { compressor: compressor(t) }));
  const { type, value } = seen(model);
  assert.equal(type, "json");
  assert.deepEqual([value.stderr, value.exitCode], ["warned\n", 101]);
  assert.ok(value.stdout.length < REPORT.length / 2);
});

test("tools: a tool's own form, its parts and its images stay", async (t) => {
  const model = scripted("bash");
  const image = { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0KGgo=" } };
  const toModelOutput = ({ output }) => ({
    type: "content",
    value: [{ type: "text", text: output }, image],
  });
  const bash = { ...shell(() => REPORT), toModelOutput };
  await run(model, compressTools({ bash }, { compressor: compressor(t) }));
  const { type, value } = seen(model);
  assert.equal(type, "content");
  assert.ok(value[0].text.length < REPORT.length / 2);
  assert.equal(value[1].mediaType, "image/png");
});

test("tools: excluded ones stay", async (t) => {
  const model = scripted("bash");
  const options = { compressor: compressor(t), exclude: ["bash"] };
  await run(model, compressTools({ bash: shell(() => REPORT) }, options));
  assert.equal(seen(model).value, REPORT);
});

test("middleware: every result of a prompt, also of tools that failed", async (t) => {
  for (const [execute, type] of [
    [() => REPORT, "text"],
    [() => Promise.reject(new Error(`exit code 101\n${REPORT}`)), "error-text"],
  ]) {
    const middleware = compressionMiddleware({ compressor: compressor(t) });
    const inner = scripted("bash");
    await run(wrapLanguageModel({ model: inner, middleware }), { bash: shell(execute) });
    assert.equal(seen(inner).type, type);
    assert.match(seen(inner).value, /cases::the_last \.\.\. FAILED/);
    assert.ok(seen(inner).value.length < REPORT.length, type);
  }
});

test("middleware: the same prompt again gives the same bytes", async (t) => {
  const middleware = compressionMiddleware({ compressor: compressor(t) });
  const texts = [];
  for (let n = 0; n < 2; n += 1) {
    const inner = scripted("bash");
    await run(wrapLanguageModel({ model: inner, middleware }), { bash: shell(() => REPORT) });
    texts.push(seen(inner).value);
  }
  assert.equal(texts[0], texts[1]);
});

test("JSON stays JSON", async (t) => {
  const rows = Array.from({ length: 300 }, (_, n) => ({ id: n, state: "ok", note: "nothing to see" }));
  const model = scripted("query");
  const query = shell(() => ({ rows }));
  await run(model, compressTools({ query }, { compressor: compressor(t) }));
  assert.equal(seen(model).type, "json");
});

for (const name of ["missing", "crashes in a request", "garbage at once"]) {
  test(`without a server the model sees what it would have: ${name}`, { timeout: 60_000 }, async (t) => {
    const broken = compressor(t, FAULTS[name][0]);
    const bash = shell(() => ({ stdout: REPORT, exitCode: 101 }));
    const [plain, one, two] = [scripted("bash"), scripted("bash"), scripted("bash")];
    await run(plain, { bash });
    await run(one, compressTools({ bash }, { compressor: broken }));
    const middleware = compressionMiddleware({ compressor: broken });
    await run(wrapLanguageModel({ model: two, middleware }), { bash });
    assert.deepEqual(seen(one), seen(plain));
    assert.deepEqual(seen(two), seen(plain));
  });
}

/** A model that makes the calls one after the other, each in a step of its own. */
function calling(...ids) {
  const reason = (unified) => ({ unified, raw: unified });
  const step = (id) => {
    const call = { type: "tool-call", toolCallId: id, toolName: "bash", input: JSON.stringify({ command: `${COMMAND} ${id}` }) };
    return { content: [call], finishReason: reason("tool-calls"), usage: USAGE, warnings: [] };
  };
  const end = { content: [{ type: "text", text: "done" }], finishReason: reason("stop"), usage: USAGE, warnings: [] };
  return new MockLanguageModelV4({ doGenerate: [...ids.map(step), end] });
}

/** The results that the model saw at its end, in order. */
function results(model) {
  const { prompt } = model.doGenerateCalls.at(-1);
  return prompt.filter((message) => message.role === "tool").flatMap(({ content }) => content.map(({ output }) => output.value));
}

const REFERENCE = /Duplicate of | as in /;
const ways = {
  tools: (shared) => (ids) => {
    const model = calling(...ids);
    const tools = compressTools({ bash: shell(() => REPORT) }, { compressor: shared });
    return { model, options: { model, tools } };
  },
  middleware: (shared) => (ids) => {
    const model = calling(...ids);
    const middleware = compressionMiddleware({ compressor: shared });
    return { model, options: { model: wrapLanguageModel({ model, middleware }), tools: { bash: shell(() => REPORT) } } };
  },
};
for (const [name, way] of Object.entries(ways)) {
  test(`${name}: agents and conversations that share a session see only their own`, async (t) => {
    const make = way(compressor(t));
    const go = async (...ids) => {
      const { model, options } = make(ids);
      await generateText({ ...options, prompt: `do ${ids}`, stopWhen: stepCountIs(9) });
      return results(model);
    };
    const [first, second] = await go("a1", "a2");
    assert.doesNotMatch(first, REFERENCE);
    assert.match(second, REFERENCE);
    const [other, third] = await go("b1", "b2");
    assert.doesNotMatch(other, REFERENCE);
    assert.match(other, /cases::the_last \.\.\. FAILED/);
    assert.ok(other.length < REPORT.length / 2);
    assert.ok(!/ a[12] /.test(third), third);
    const all = await Promise.all(["c", "d", "e"].map((agent) => go(`${agent}1`, `${agent}2`)));
    for (const [i, [one]] of all.entries()) assert.doesNotMatch(one, REFERENCE, `agent ${i}`);
  });
}

/** A model that calls a tool `count` times, and then says that it is done. */
function steps(count) {
  const reason = (unified) => ({ unified, raw: unified });
  const calls = Array.from({ length: count }, (_, n) => {
    const input = JSON.stringify({ command: `${COMMAND} --profile ${n}` });
    const content = [
      { type: "text", text: "next" },
      { type: "tool-call", toolCallId: `call_${n}`, toolName: "bash", input },
    ];
    return { content, finishReason: reason("tool-calls"), usage: USAGE, warnings: [] };
  });
  const done = { content: [{ type: "text", text: "done" }], finishReason: reason("stop"), usage: USAGE, warnings: [] };
  return new MockLanguageModelV4({ doGenerate: [...calls, done] });
}

/** The results that the model saw with each call. */
const allSeen = (model) =>
  model.doGenerateCalls.map(({ prompt }) =>
    prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content.map(({ output }) => output)),
  );

async function runHistory(options, execute = () => REPORT, count = 3) {
  const model = steps(count);
  const prepareStep = compressHistory(options);
  const tools = { bash: shell(execute) };
  const result = await generateText({ model, tools, prompt: "test it", prepareStep, stopWhen: stepCountIs(count + 1) });
  assert.equal(result.text, "done");
  return { shown: allSeen(model), result };
}

test("history: each step holds the results of the one before byte for byte, and the steps keep all", async (t) => {
  const { shown, result } = await runHistory({ compressor: compressor(t) });
  assert.deepEqual(shown.map((all) => all.length), [0, 1, 2, 3]);
  for (const [n, before] of shown.slice(0, -1).entries()) assert.deepEqual(shown[n + 1].slice(0, before.length), before);
  assert.ok(shown[3].every(({ type, value }) => type === "text" && value.length < REPORT.length / 2));
  assert.match(shown[3][0].value, /cases::the_last \.\.\. FAILED/);
  assert.deepEqual(result.steps.slice(0, 3).map((step) => step.toolResults[0].output), [REPORT, REPORT, REPORT]);
});

test("history: what a command wrote keeps its form, and its exit code counts", async (t) => {
  const execute = () => ({ stdout: REPORT, exitCode: 101 });
  const { shown } = await runHistory({ compressor: compressor(t) }, execute);
  const { type, value } = shown[3][0];
  assert.deepEqual([type, value.exitCode], ["json", 101]);
  assert.ok(value.stdout.length < REPORT.length / 2);
  assert.deepEqual(shown[3][0], shown[1][0]);
});

test("history: excluded tools, and what another prepareStep says", async (t) => {
  const { shown } = await runHistory({ compressor: compressor(t), exclude: ["bash"] });
  assert.deepEqual(shown[3].map(({ value }) => value), [REPORT, REPORT, REPORT]);
  const asked = [];
  const prepareStep = ({ messages, stepNumber }) => {
    asked.push(stepNumber);
    return { messages: messages.filter(({ role }) => role !== "system"), activeTools: ["bash"] };
  };
  const own = await runHistory({ compressor: compressor(t), prepareStep });
  assert.deepEqual(asked, [0, 1, 2, 3]);
  assert.ok(own.shown[3][0].value.length < REPORT.length / 2);
});

test("history: what is not needed any more leaves and stays away", async (t) => {
  const log = (n) => Array.from({ length: 400 }, (_, i) => `run_${n} answered request ${i * 7919} of run_${n}_${i}`).join("\n");
  let runs = 0;
  const { shown } = await runHistory({ compressor: compressor(t) }, () => log(runs++), 60);
  const gone = shown.findIndex((all) => all.some(({ value }) => value.includes(" removed")));
  assert.ok(gone > 0, "nothing left");
  const at = shown[gone].findIndex(({ value }) => value.includes(" removed"));
  assert.ok(shown.slice(gone).every((all) => all[at].value === shown[gone][at].value));
});

test("history: without a server all stays", async (t) => {
  for (const name of ["missing", "crashes in a request", "garbage at once"]) {
    const { shown } = await runHistory({ compressor: compressor(t, FAULTS[name][0]) });
    assert.deepEqual(shown[3].map(({ value }) => value), [REPORT, REPORT, REPORT], name);
  }
});
