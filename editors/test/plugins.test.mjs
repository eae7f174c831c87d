// The plugins of the JavaScript hosts, driven as their hosts drive them, with the files that are installed.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { FAILED, PASSED, PROGRAM, WAYS, broken, checkFailed, checkPassed, folder, handleOf, recorded } from "./common.mjs";

const place = folder();
let copies = 0;

/** A fresh copy of a plugin, as an installation has it. */
function installed(file) {
  const home = join(place, `host-${copies++}`);
  const sdk = join(home, "node_modules/@github/copilot-sdk");
  mkdirSync(sdk, { recursive: true });
  writeFileSync(join(sdk, "package.json"), JSON.stringify({ type: "module", exports: { "./extension": "./extension.js" } }));
  writeFileSync(join(sdk, "extension.js"), "export const joinSession = (config) => globalThis.joinSession(config);\n");
  const path = join(home, file.split("/").at(-1).replace(/\.js$/, ".mjs"));
  cpSync(new URL(`../${file}`, import.meta.url), path);
  return import(pathToFileURL(path));
}

/** Milliseconds: no test of the real program depends on how fast it is. */
const deadline = (command) => (command === PROGRAM ? "30000" : "400");

/** What Cline gives its plugins for a call of a tool. */
function clineContext(toolCallId, toolName, input, result, session = "conv_1", agent = "agent_1") {
  const snapshot = { agentId: agent, conversationId: session, messages: [] };
  return { snapshot, toolCall: { type: "tool-call", toolCallId, toolName, input }, input, result };
}

/** Starts a host's plugin; `run({toolCallId, tool, args, text, exitCode, parts})` gives what the model would see. */
const HOSTS = {
  async opencode(command) {
    const module = await installed("opencode/tersed.js");
    assert.deepEqual(Object.keys(module), ["TersedPlugin"], "OpenCode calls every export");
    const hooks = await module.TersedPlugin({ directory: place }, { command, deadlineMs: Number(deadline(command)), startMs: Number(deadline(command)) });
    return {
      // An agent of OpenCode has a session of its own.
      async run({ toolCallId, tool = "bash", args, text, exitCode = 0, parts, session = "ses_1", agent }) {
        const input = { tool, sessionID: agent ? `ses_${agent}` : session, callID: toolCallId, args };
        const output = parts
          ? { content: parts }
          : { title: "t", output: text, metadata: { exit: exitCode, output: text, truncated: false } };
        const untouched = structuredClone(output.metadata);
        assert.equal(await hooks["tool.execute.after"](input, output), undefined);
        assert.deepEqual(output.metadata, untouched);
        return parts ? output.content : output.output;
      },
      async replay({ input, output }) {
        const text = () => output.output ?? output.content[0].text;
        const before = text();
        await hooks["tool.execute.after"](input, output);
        return [before, text()];
      },
      event: (type, properties) => hooks.event({ event: { type, properties } }),
      forget: () => hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_1" } } }),
      moved: { "a summary": () => hooks.event({ event: { type: "session.compacted", properties: { sessionID: "ses_1" } } }) },
      expand: (args) => hooks.tool.tersed_expand.execute(args, { sessionID: "ses_1" }),
      end: () => hooks.dispose(),
    };
  },

  async pi(command) {
    const extension = (await installed("pi/tersed.js")).default;
    const handlers = {};
    let tool;
    process.env.TERSED_BIN = command;
    process.env.TERSED_DEADLINE_MS = deadline(command);
    extension({ on: (name, handler) => (handlers[name] = handler), registerTool: (it) => (tool = it) });
    const contextOf = (id) => ({ sessionManager: { getSessionId: () => id } });
    const ctx = contextOf("pi_1");
    return {
      // An agent of pi is a process of its own, with a session of its own.
      async run({ toolCallId, tool = "bash", args, text, exitCode = 0, parts, session = "pi_1", agent }) {
        const ended = exitCode ? `${text}\n\nCommand exited with code ${exitCode}` : text;
        const content = parts ?? [{ type: "text", text: ended }];
        const event = { type: "tool_result", toolName: tool, toolCallId, input: args, content, isError: exitCode !== 0 };
        const patch = await handlers.tool_result(Object.freeze(event), contextOf(agent ?? session));
        assert.ok(patch === undefined || Object.keys(patch).join() === "content");
        const shown = patch?.content ?? content;
        if (parts) return shown;
        const seen = shown[0].text;
        if (!exitCode) return seen;
        assert.ok(seen.endsWith(`Command exited with code ${exitCode}`), seen);
        return seen === ended ? text : seen;
      },
      async replay({ event }) {
        const patch = await handlers.tool_result(event, ctx);
        return [event.content[0].text, (patch?.content ?? event.content)[0].text];
      },
      forget: () => handlers.session_compact({}, ctx),
      moved: {
        "a summary": () => handlers.session_compact({}, ctx),
        "another branch": () => handlers.session_tree({}, ctx),
        "a fork": () => handlers.session_fork({}, ctx),
        "a session that is resumed": () => handlers.session_start({ reason: "resume" }, ctx),
        "another session": () => handlers.session_switch({ reason: "resume" }, ctx),
      },
      expand: async (args) => (await tool.execute("id", args, undefined, undefined, ctx)).content[0].text,
      end: () => handlers.session_shutdown({}, ctx),
    };
  },

  async cline(command) {
    process.env.TERSED_BIN = command;
    process.env.TERSED_DEADLINE_MS = deadline(command);
    const { hooks, setup } = (await installed("cline/tersed.js")).default;
    let tool;
    setup({ registerTool: (it) => (tool = it) }, {});
    return {
      async run({ toolCallId, tool: toolName = "run_commands", args, text, exitCode = 0, parts, session, agent }) {
        const error = exitCode ? { error: `Command exited with code ${exitCode}`, success: false } : { success: true };
        const entry = { query: "q", result: exitCode ? `[${error.error}]\n${text}` : text, ...error };
        const result = Object.freeze({ output: parts ? { content: parts } : [Object.freeze(entry)] });
        const answer = await hooks.afterTool(clineContext(toolCallId, toolName, args, result, session, agent));
        assert.ok(answer === undefined || Object.keys(answer).join() === "result");
        const { output } = answer?.result ?? result;
        if (parts) return output.content;
        assert.deepEqual({ ...output[0], result: "" }, { ...entry, result: "" });
        return exitCode ? output[0].result.replace(`[${error.error}]\n`, "") : output[0].result;
      },
      async replay({ context }) {
        const shown = ({ output }) => [output.content?.[0].text ?? output[0].result, output[0]?.error ?? ""].join("\n").trimEnd();
        return [shown(context.result), shown((await hooks.afterTool(context))?.result ?? context.result)];
      },
      forget: () => hooks.beforeModel({ ...clineContext(), request: { messages: [{ role: "user", content: [] }] } }),
      moved: {
        "a summary": () => hooks.beforeModel({ ...clineContext(), request: { messages: [{ role: "user", content: [] }] } }),
      },
      expand: (args) => tool.execute(args, { conversationId: "conv_1", agentId: "agent_1" }),
      end: () => {},
    };
  },

  async copilot(command) {
    process.env.TERSED_BIN = command;
    process.env.TERSED_DEADLINE_MS = deadline(command);
    let config;
    const listeners = {};
    globalThis.joinSession = async (given) => {
      config = given;
      return { sessionId: "cop_1", on: (name, listener) => (listeners[name] = listener) };
    };
    await installed("copilot/extension.mjs");
    return {
      async run({ toolCallId, tool = "bash", args, text, exitCode = 0, parts, session = "cop_1", agent }) {
        const ended = parts ? parts[0].text : `${text}\n<shellId: 0 completed with exit code ${exitCode}>`;
        const call = { toolCallId, toolName: tool, arguments: args, ...(agent && { parentToolCallId: agent }) };
        listeners["tool.execution_start"]({ data: call });
        const toolResult = { resultType: "success", textResultForLlm: ended, toolTelemetry: { a: 1 } };
        const answer = await config.hooks.onPostToolUse({ sessionId: session, toolName: tool, toolArgs: args, toolResult });
        listeners["tool.execution_complete"]({ data: call });
        const shown = answer?.modifiedResult ?? toolResult;
        assert.deepEqual({ ...shown, textResultForLlm: "" }, { ...toolResult, textResultForLlm: "" });
        const seen = shown.textResultForLlm.replace(/\n<shellId: 0 completed with exit code \d+>$/, "");
        assert.ok(parts || shown.textResultForLlm.endsWith(`<shellId: 0 completed with exit code ${exitCode}>`));
        if (parts) return [{ ...parts[0], text: seen }, ...parts.slice(1)];
        return seen;
      },
      async replay({ event, hook }) {
        if (event) return void listeners[event.type](event);
        const answer = await config.hooks.onPostToolUse(hook);
        return [hook.toolResult.textResultForLlm, (answer?.modifiedResult ?? hook.toolResult).textResultForLlm];
      },
      forget: () => listeners["session.compaction_complete"]({ data: {} }),
      moved: Object.fromEntries(
        ["compaction_complete", "truncation", "snapshot_rewind", "resume", "handoff"].map((name) => [
          `session.${name}`,
          () => listeners[`session.${name}`]({ data: {} }),
        ]),
      ),
      expand: (args) => config.tools[0].handler(args, { sessionId: "cop_1" }),
      end: () => {},
    };
  },
};

const call = (toolCallId, more) => ({ toolCallId, args: { command: "cargo test" }, text: PASSED, ...more });

describe("the plugin for opencode follows its events", () => {
  const tool = (n, time) => ({ type: "tool", id: `prt_${n}`, messageID: `msg_${n}`, sessionID: "ses_1", callID: `c${n}`, state: { time } });
  const removals = {
    "another part that is removed": [[["message.part.removed", { sessionID: "ses_1", partID: "prt_9" }]], false],
    "another message that is removed": [[["message.removed", { sessionID: "ses_1", messageID: "msg_9" }]], false],
    "the part of the call that is removed": [[["message.part.removed", { sessionID: "ses_1", partID: "prt_1" }]], true],
    "the message of the call that is removed": [[["message.removed", { sessionID: "ses_1", messageID: "msg_1" }]], true],
    "a result that is cleared": [[["message.part.updated", { part: tool(1, { compacted: 5 }) }]], true],
    "another session that is deleted": [[["session.deleted", { info: { id: "ses_2" } }]], false],
  };
  for (const [what, [events, gone]] of Object.entries(removals)) {
    it(what, async () => {
      const host = await HOSTS.opencode(PROGRAM);
      checkPassed(await host.run(call("c1")));
      await host.event("message.part.updated", { part: tool(1, {}) });
      for (const [type, properties] of events) await host.event(type, properties);
      const again = await host.run(call("c2", { args: { command: "cargo test -q" } }));
      if (gone) checkPassed(again);
      else assert.match(again, /^\[tersed#\d+: same output as in bash; cargo test, 1 result ago\]/);
      await host.end();
    });
  }
});

for (const [name, start] of Object.entries(HOSTS)) {
  describe(`the plugin for ${name}`, () => {
    it("makes results smaller and keeps failures and exit status", async () => {
      const host = await start(PROGRAM);
      const passed = await host.run(call("c1"));
      checkPassed(passed);
      assert.equal(await host.run(call("c1")), passed, "the same call gives the same bytes");
      const failed = await host.run(call("c2", { text: FAILED, exitCode: 101 }));
      checkFailed(failed);
      assert.equal(await host.expand({ id: handleOf(passed), first: 2, last: 3 }), PASSED.split("\n").slice(1, 3).join("\n") + "\n");
      await host.end();
    });

    it("handles what the real host sent", async () => {
      const host = await start(PROGRAM);
      const results = [];
      for (const line of recorded(name)) results.push(await host.replay(line));
      const [passed, failed, ...more] = results.filter(Boolean);
      const again = more.find(([, text]) => /^\[tersed#\d+: same output as in (bash|run_commands); /.test(text));
      assert.ok(again, "the same output of another call is a reference");
      assert.match(passed[1], /^running 120 tests\n\[tersed#\w+: omitted 120 lines 2-121, passing_tests, id \w+\]\n\ntest result: ok\. 120 passed/);
      for (const line of failed[0].split("\n").filter((it) => !/case_\d+ \.\.\. ok$/.test(it))) {
        assert.ok(failed[1].includes(line), line);
      }
      assert.match(failed[1].trimEnd().split("\n").at(-1), /(code|status) 203[>\]]?$/);
      assert.ok(failed[1].length < failed[0].length / 5);
      await host.end();
    });

    it("refers only to what the model still sees", async () => {
      const host = await start(PROGRAM);
      checkPassed(await host.run(call("c1")));
      const again = call("c2", { args: { command: "cargo test -q" } });
      assert.match(await host.run(again), /^\[tersed#\d+: same output as in \w+; cargo test, |lines 1-\d+ as in \w+; /);
      await host.forget();
      checkPassed(await host.run(call("c3", { args: { command: "cargo test -v" } })));
      await host.end();
    });

    it("keeps agents and conversations apart", async () => {
      const host = await start(PROGRAM);
      const contexts = [{}, { agent: "a1" }, { agent: "a2" }, { session: "other" }];
      const texts = [PASSED, PASSED.replaceAll("case", "kind")];
      for (const [n, text] of texts.entries()) {
        // All at once: the same calls of all contexts, one after the other.
        for (const [i, context] of contexts.entries()) {
          const shown = await host.run(call(`c${n}${i}`, { args: { command: `cargo test ${n}${i}` }, text, ...context }));
          assert.doesNotMatch(shown, /Duplicate of| as in /, JSON.stringify(context));
        }
      }
      for (const [i, context] of contexts.entries()) {
        const shown = await host.run(call(`d${i}`, { args: { command: `cargo test -q ${i}` }, ...context }));
        assert.match(shown, new RegExp(`as in \\w+; cargo test 0${i}, `), "each still sees its own");
      }
      await host.end();
    });

    it("reads back what an agent was given", async () => {
      const host = await start(PROGRAM);
      const passed = await host.run(call("c1", name === "copilot" ? { agent: "a1" } : {}));
      assert.match(await host.expand({ id: handleOf(passed), first: 2, last: 2 }), /case_0/);
      await host.end();
    });

    it("forgets what may not be visible any more", async () => {
      const host = await start(PROGRAM);
      let n = 0;
      for (const [what, moved] of Object.entries(host.moved)) {
        const run = () => host.run(call(`c${++n}`, { args: { command: `cargo test ${n}` } }));
        const first = await run();
        assert.doesNotMatch(first, /Duplicate of| as in /, what);
        assert.match(await run(), / as in /, what);
        await moved();
      }
      checkPassed(await host.run(call("last", { args: { command: "cargo test -v" } })));
      await host.end();
    });

    it("handles parts, and leaves what was read back alone", async () => {
      const host = await start(PROGRAM);
      const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
      const parts = await host.run(call("c1", { tool: "server_query", parts: [{ type: "text", text: PASSED }, image] }));
      checkPassed(parts[0].text);
      assert.deepEqual(parts[1], image);
      assert.equal(await host.run(call("c2", { tool: "tersed_expand" })), PASSED);
      await host.end();
    });

    for (const way of WAYS) {
      it(`leaves everything as it is when the program does not work: ${way}`, async () => {
        const host = await start(broken(way));
        for (const id of ["c1", "c2", "c3"]) assert.equal(await host.run(call(id)), PASSED);
        assert.equal(await host.run(call("c4", { text: FAILED, exitCode: 101 })), FAILED);
        await host.end();
      });
    }
  });
}
