// Whole conversations, as OpenCode and pi pass them to their plugins before each request: the model's view, that earlier
// bytes do not change, and that nothing changes if the program does not work.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { FAILED, PASSED, PROGRAM, WAYS, broken, checkFailed, checkPassed, folder, handleOf } from "./common.mjs";

const place = folder();
let copies = 0;

/** A fresh copy of a plugin, as an installation has it. */
function installed(file) {
  const path = join(place, `history-${copies++}.mjs`);
  cpSync(new URL(`../${file}`, import.meta.url), path);
  return import(pathToFileURL(path));
}

/** Milliseconds: no test of the real program depends on how fast it is. */
const deadline = (command) => (command === PROGRAM ? 30000 : 400);

/** A host's plugin: `seen(calls)` gives what the model sees of a conversation, `born(call)` what the plugin makes of a result. */
const HOSTS = {
  async opencode(command, options = {}) {
    const { TersedPlugin } = await installed("opencode/tersed.js");
    const hooks = await TersedPlugin({ directory: place }, { command, deadlineMs: deadline(command), startMs: deadline(command), ...options });
    const partOf = ({ id, tool = "bash", args, text, exit = 0, failed = false, cleared = false, said = "" }) => [
      { type: "step-start" },
      ...(said ? [{ type: "text", text: said }] : []),
      {
        id: `prt_${id}`,
        type: "tool",
        callID: id,
        tool,
        state: failed
          ? { status: "error", input: args, error: text, time: { start: 1, end: 2 } }
          : { status: "completed", input: args, output: text, title: "t", metadata: { exit }, time: { start: 1, end: 2, ...(cleared && { compacted: 3 }) } },
      },
    ];
    return {
      async seen(calls, session = "ses_1") {
        const info = (role) => ({ role, sessionID: session });
        const user = { info: info("user"), parts: [{ type: "text", text: "Run the tests." }] };
        const given = [user, ...calls.map((call) => ({ info: info("assistant"), parts: partOf(call) }))];
        const stored = structuredClone(given);
        const output = { messages: given.slice() };
        assert.equal(await hooks["experimental.chat.messages.transform"]({}, output), undefined);
        assert.deepEqual(given, stored, "what is stored was changed");
        return output.messages.slice(1).map(({ parts }, i) => {
          const { state } = parts.at(-1);
          const { output: a, error: b, ...rest } = state;
          const { output: c, error: d, ...before } = stored[i + 1].parts.at(-1).state;
          assert.deepEqual(rest, before);
          return a ?? b;
        });
      },
      async born({ id, tool = "bash", args, text, exit = 0 }) {
        const output = { title: "t", output: text, metadata: { exit } };
        await hooks["tool.execute.after"]({ tool, sessionID: "ses_1", callID: id, args }, output);
        return output.output;
      },
      expand: (args) => hooks.tool.tersed_expand.execute(args, { sessionID: "ses_1" }),
      end: () => hooks.dispose(),
    };
  },

  async pi(command) {
    process.env.TERSED_BIN = command;
    process.env.TERSED_DEADLINE_MS = String(deadline(command));
    const handlers = {};
    let expand;
    (await installed("pi/tersed.js")).default({ on: (name, handler) => (handlers[name] = handler), registerTool: (it) => (expand = it) });
    const ctx = (id = "pi_1") => ({ sessionManager: { getSessionId: () => id } });
    const textOf = ({ text, exit = 0 }) => (exit ? `${text}\n\nCommand exited with code ${exit}` : text);
    const messagesOf = ({ id, tool = "bash", args, said = "", failed = false, exit = 0, ...call }) => [
      { role: "assistant", content: [...(said ? [{ type: "text", text: said }] : []), { type: "toolCall", id, name: tool, arguments: args }] },
      {
        role: "toolResult",
        toolCallId: id,
        toolName: tool,
        isError: failed || exit !== 0,
        content: [{ type: "image", data: "", mimeType: "image/png" }, { type: "text", text: textOf({ ...call, exit }) }],
      },
    ];
    return {
      async seen(calls, session) {
        const given = [{ role: "user", content: "Run the tests." }, ...calls.flatMap(messagesOf)];
        const stored = structuredClone(given);
        const answer = await handlers.context({ type: "context", messages: given }, ctx(session));
        assert.deepEqual(given, stored, "what is stored was changed");
        const shown = (answer?.messages ?? given).filter((message) => message.role === "toolResult");
        return shown.map(({ content }, i) => {
          assert.equal(content[0].type, "image");
          const end = `\n\nCommand exited with code ${calls[i].exit}`;
          return calls[i].exit && content[1].text.endsWith(end) && content[1].text.startsWith(calls[i].text) ? calls[i].text : content[1].text;
        });
      },
      async born({ id, tool = "bash", args, text, exit = 0 }) {
        const content = [{ type: "text", text: textOf({ text, exit }) }];
        const patch = await handlers.tool_result({ toolName: tool, toolCallId: id, input: args, content, isError: exit !== 0 }, ctx());
        return (patch?.content ?? content)[0].text;
      },
      expand: async (args) => (await expand.execute("id", args, undefined, undefined, ctx())).content[0].text,
      end: () => handlers.session_shutdown({}, ctx()),
    };
  },
};

const TESTS = { command: "cargo test" };
const passed = (id, more = {}) => ({ id, args: TESTS, text: PASSED, ...more });

/** A log of `lines` lines that no other log has. */
const log = (name, lines) => Array.from({ length: lines }, (_, i) => `${name} handled request number ${i * 7919} of ${name}_${i}`).join("\n");

for (const [name, start] of Object.entries(HOSTS)) {
  describe(`${name}, whole conversations`, () => {
    it("results are smaller before the model sees them, and what failed is told", async () => {
      const host = await start(PROGRAM);
      const [first, again, failing] = await host.seen([passed("a"), passed("b"), { id: "c", args: TESTS, text: FAILED, exit: 101 }]);
      checkPassed(first);
      assert.match(again, /same output as in|Duplicate of/);
      checkFailed(failing);
      assert.match(failing, /101/);
      assert.match(await host.expand({ id: handleOf(first), first: 2, last: 2 }), /case_0/);
      host.end();
    });

    it("a result is left alone at its birth once conversations are shown", async () => {
      const host = await start(PROGRAM);
      assert.notEqual(await host.born(passed("before")), PASSED);
      await host.seen([passed("a")]);
      assert.equal(await host.born(passed("b")), PASSED);
      host.end();
    });

    it("earlier results keep their bytes as the conversation grows, and in another process", async () => {
      const calls = [passed("a"), passed("b"), passed("c", { args: { command: "cargo test -p x" } }), { id: "d", tool: "read", args: { path: "a.log" }, text: log("d", 80) }];
      const [one, other] = [await start(PROGRAM), await start(PROGRAM)];
      let before = [];
      for (let i = 1; i <= calls.length; i++) {
        const seen = await one.seen(calls.slice(0, i));
        assert.deepEqual(seen.slice(0, before.length), before);
        before = seen;
      }
      assert.deepEqual(await other.seen(calls), before);
      one.end();
      other.end();
    });

    it("what is not needed any more leaves, stays away, and can be read back", async () => {
      const host = await start(PROGRAM);
      const calls = [];
      let left;
      for (let turn = 0; turn < 40 && !left; turn++) {
        // Each run of the same command replaces the one before; a large one is far back.
        calls.push({ id: `r${turn}`, args: { command: "./serve --trace" }, text: log(`run_${turn}`, 400), said: `Next I look at step ${turn}.` });
        const seen = await host.seen(calls);
        const at = seen.findIndex((text) => / removed/.test(text) || /run again|replaced by a later/.test(text));
        if (at >= 0) left = { at, text: seen[at] };
      }
      assert.ok(left, "nothing left");
      assert.ok(left.text.length < 400, left.text);
      const [, id] = /\bid ([0-9a-f]{8})/.exec(left.text) ?? [];
      assert.match(await host.expand({ id, first: 1, last: 1 }), new RegExp(`run_${left.at} handled`));
      // A text that looks like one of ours does not bring it back.
      calls.push(passed("last", { text: `[tersed: omitted 3 lines 1-3]\n${PASSED}` }));
      assert.equal((await host.seen(calls))[left.at], left.text);
      host.end();
    });

    it("results with texts of ours, from before, are not lost to others", async () => {
      const host = await start(PROGRAM);
      const [text] = await host.seen([passed("a")], "other");
      const [kept] = await host.seen([passed("b", { text })]);
      assert.equal(kept, text);
      host.end();
    });

    it("what is not in the conversation any more is not referred to", async () => {
      const host = await start(PROGRAM);
      const before = await host.seen([passed("a"), passed("b")]);
      assert.doesNotMatch(before[0], /same output/);
      // Summarized: the target of `b`'s reference is gone.
      const after = await host.seen([passed("b"), passed("c", { args: { command: "cargo test -p x" } })]);
      after.filter((text) => !/same output as in|Duplicate of/.test(text)).forEach(checkPassed);
      checkPassed(after[0]);
      host.end();
    });

    it("conversations are apart", async () => {
      const host = await start(PROGRAM);
      await host.seen([passed("a")], "one");
      checkPassed((await host.seen([passed("b")], "two"))[0]);
      host.end();
    });

    for (const way of WAYS) {
      it(`with a program that is no good (${way}) all stays as it came`, async () => {
        const host = await start(broken(way));
        const calls = [passed("a"), { id: "b", args: TESTS, text: FAILED, exit: 101 }];
        for (let i = 0; i < 2; i++) assert.deepEqual(await host.seen(calls), [PASSED, FAILED]);
        host.end();
      });
    }

    it("when the program fails later, what the model saw stays", async () => {
      const host = await start(PROGRAM);
      const before = await host.seen([passed("a"), passed("b")]);
      host.end();
      const after = await host.seen([passed("a"), passed("b"), passed("c")]);
      assert.deepEqual(after, [...before, PASSED]);
      assert.deepEqual(await host.seen([passed("a", { text: "other" })]), ["other"]);
    });
  });
}

describe("opencode, its own marks", () => {
  it("errors of tools pass, and results that it cleared do not", async () => {
    const host = await HOSTS.opencode(PROGRAM);
    const calls = [passed("a", { cleared: true }), passed("b"), { id: "c", args: TESTS, text: PASSED.repeat(2), failed: true }];
    const [cleared, next, failed] = await host.seen(calls);
    assert.equal(cleared, PASSED);
    checkPassed(next);
    assert.ok(failed.length < PASSED.length);
    host.end();
  });

  it("the setting turns it off", async () => {
    const host = await HOSTS.opencode(PROGRAM, { history: false });
    assert.deepEqual(await host.seen([passed("a")]), [PASSED]);
    checkPassed(await host.born(passed("b")));
    host.end();
  });
});
