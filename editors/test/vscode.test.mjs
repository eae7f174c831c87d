// The extension for VS Code against the real program, with a stub of the module `vscode`.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FAILED, PASSED, PROGRAM, WAYS, broken, checkFailed, checkPassed, folder, handleOf } from "./common.mjs";

const place = folder();
mkdirSync(join(place, "node_modules/vscode"), { recursive: true });
writeFileSync(join(place, "node_modules/vscode/index.js"), "module.exports = new Proxy({}, { get: (_, key) => globalThis.vscode[key] });\n");
const manifest = JSON.parse(readFileSync(new URL("../vscode/package.json", import.meta.url), "utf8"));
const defaults = manifest.contributes.configuration.properties;
let copies = 0;

class Emitter {
  listeners = new Set();
  event = (listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value) {
    for (const listener of this.listeners) listener(value);
  }
  dispose() {
    this.listeners.clear();
  }
}

/** Loads the extension into a stand-in of VS Code with `settings`. */
function start(settings, workspaceFolders) {
  const host = { commands: {}, tools: {}, diffs: [], settings, configured: new Emitter() };
  const disposable = { dispose() {} };
  globalThis.vscode = {
    EventEmitter: Emitter,
    StatusBarAlignment: { Left: 1, Right: 2 },
    TreeItem: class {
      constructor(label) {
        this.label = label;
      }
    },
    Uri: { from: (parts) => parts },
    LanguageModelTextPart: class {
      constructor(value) {
        this.value = value;
      }
    },
    LanguageModelToolResult: class {
      constructor(content) {
        this.content = content;
      }
    },
    window: {
      createStatusBarItem: () => (host.status = { show() {}, dispose() {} }),
      registerTreeDataProvider: (id, provider) => ((host.view = { id, ...provider }), disposable),
      showQuickPick: async (items) => items[0],
    },
    workspace: {
      workspaceFolders,
      getConfiguration: (section) => ({
        get(key, fallback) {
          const name = `${section}.${key}`;
          assert.ok(name in defaults, `${name} is not in the manifest`);
          assert.deepEqual(fallback, defaults[name].default, name);
          return host.settings[name] ?? fallback;
        },
      }),
      onDidChangeConfiguration: host.configured.event,
      registerTextDocumentContentProvider: (scheme, provider) => ((host.texts = { scheme, ...provider }), disposable),
    },
    commands: {
      registerCommand: (name, command) => ((host.commands[name] = command), disposable),
      executeCommand: async (name, ...args) => void host.diffs.push({ name, args }),
    },
    lm: { registerTool: (name, tool) => ((host.tools[name] = tool), disposable) },
  };
  const path = join(place, `extension-${copies++}.js`);
  cpSync(new URL("../vscode/extension.js", import.meta.url), path);
  const extension = createRequire(import.meta.url)(path);
  const context = { subscriptions: [] };
  host.api = extension.activate(context);
  host.end = () => {
    extension.deactivate();
    for (const it of context.subscriptions) it.dispose();
  };
  return host;
}

const call = (content, more) => ({ toolCallId: "c1", tool: "run", arguments: { command: "cargo test" }, content, ...more });
const working = { "tersed.path": PROGRAM, "tersed.deadlineMs": 20_000 };

describe("the extension for VS Code", () => {
  it("shows what other hosts saved in this workspace", { skip: process.platform === "win32" }, async () => {
    const program = join(place, "counts.sh");
    const line = "tersed: 12.3k of 45.6k tokens saved today (26 %)";
    writeFileSync(program, `#!/bin/sh\n[ "$1" = statusline ] && grep -q '"cwd":"/home/ada/space"' && echo '${line}'\n`, { mode: 0o755 });
    const folders = [{ uri: { fsPath: "/home/ada/space" } }];
    const host = start({ "tersed.path": program }, folders);
    for (let n = 0; n < 400 && !host.status.tooltip.includes("45.6k"); n++) await new Promise((done) => setTimeout(done, 25));
    assert.equal(host.status.text, "$(fold) 26 % saved today");
    assert.match(host.status.tooltip, /0 tool results[^]*\nAll hosts of this workspace: 12\.3k of 45\.6k/);
    host.end();
    // Without a program, or without a folder, the item shows its name.
    const none = start({ "tersed.path": join(place, "nothing") }, folders);
    assert.equal(none.status.text, "$(fold) tersed");
    none.end();
  });

  it("registers what its manifest names, and nothing else", () => {
    const host = start(working);
    assert.deepEqual(Object.keys(host.commands).sort(), manifest.contributes.commands.map((it) => it.command).sort());
    assert.equal(host.view.id, manifest.contributes.views.explorer[0].id);
    assert.deepEqual(Object.keys(host.tools), manifest.contributes.languageModelTools.map((it) => it.name));
    host.end();
  });

  it("compresses for other extensions, and tells what was saved", async () => {
    const host = start(working);
    const told = [];
    host.api.onDidCompress((it) => told.push(it));
    checkPassed((await host.api.compress("s", call(PASSED))).content);
    checkFailed((await host.api.compress("s", call(FAILED, { toolCallId: "c2", exitCode: 101 }))).content);
    assert.deepEqual(told.map(({ status }) => status), ["compressed", "compressed"]);
    const { before, after } = told.reduce((sum, { tokens }) => ({
      before: sum.before + tokens.before,
      after: sum.after + tokens.after,
    }), { before: 0, after: 0 });
    assert.equal(host.status.text, `$(fold) ${Math.round((100 * (before - after)) / before)} % saved`);
    assert.equal(host.status.tooltip, `tersed: 2 tool results, ${before} tokens before, ${after} after`);
    assert.equal((await host.api.stats("s")).total.results, 2);
    host.end();
  });

  it("shows the original beside what the model saw, newest first", async () => {
    const host = start(working);
    await host.api.compress("s", call(PASSED));
    const { content } = await host.api.compress("s", call(FAILED, { toolCallId: "c2", tool: "a/b" }));
    const [failed, passed] = host.view.getChildren();
    const item = host.view.getTreeItem(passed);
    assert.equal(item.label, "run");
    assert.match(item.description, /^\d+ → \d+ tokens, 8\d % saved$/);
    await host.commands[item.command.command](...item.command.arguments);
    await host.commands["tersed.showResult"]();
    const [first, second] = host.diffs.map(({ name, args }) => (assert.equal(name, "vscode.diff"), args));
    assert.equal(await host.texts.provideTextDocumentContent(first[0]), PASSED);
    checkPassed(await host.texts.provideTextDocumentContent(first[1]));
    assert.equal(await host.texts.provideTextDocumentContent(second[0]), FAILED);
    assert.equal(await host.texts.provideTextDocumentContent(second[1]), content);
    assert.equal(failed.tool, "a_b");
    host.commands["tersed.clear"]();
    assert.deepEqual(host.view.getChildren(), []);
    assert.equal(await host.texts.provideTextDocumentContent(first[0]), "This result is not kept any more.");
    host.end();
  });

  it("shows no secret, and originals of more than a page", async () => {
    const host = start(working);
    // Invented, and joined here so that no scanner takes it for a leaked one.
    const secret = ["ghp", "x7Kq9ZbW2mNf4RtYc8LpV1sDh6GjA3uE5oTi"].join("_");
    const large = Array.from({ length: 40_000 }, (_, i) => `2026-01-01 00:00:00 INFO request ${i} took ${i % 97} ms`).join("\n");
    await host.api.compress("s", call(`${large}\ntoken ${secret}\n`));
    await host.commands["tersed.showResult"]();
    const original = await host.texts.provideTextDocumentContent(host.diffs[0].args[0]);
    assert.ok(!original.includes(secret));
    assert.ok(original.startsWith(large), "pages follow each other without a gap");
    host.end();
  });

  it("wraps a tool, and leaves parts that are no text alone", async () => {
    const host = start(working);
    const { LanguageModelTextPart, LanguageModelToolResult } = globalThis.vscode;
    const image = { mimeType: "image/png" };
    const tool = {
      prepared: 0,
      prepareInvocation() {
        return { invocationMessage: `run ${++this.prepared}` };
      },
      invoke: async () => new LanguageModelToolResult([new LanguageModelTextPart(PASSED), image]),
    };
    const wrapped = host.api.wrapTool("run", tool, "s");
    assert.deepEqual(wrapped.prepareInvocation(), { invocationMessage: "run 1" });
    const { content } = await wrapped.invoke({ input: { command: "cargo test" } });
    checkPassed(content[0].value);
    assert.ok(content[0] instanceof LanguageModelTextPart);
    assert.equal(content[1], image);
    const expanded = await host.tools.tersed_expand.invoke({ input: { id: handleOf(content[0].value), first: 2, last: 2 } });
    assert.equal(expanded.content[0].value, "test tests::case_0 ... ok\n");
    const none = await host.tools.tersed_expand.invoke({ input: { id: "00000000" } });
    assert.match(none.content[0].value, /^No original 00000000/);
    host.end();
  });

  it("passes on what a tool throws", async () => {
    const host = start(working);
    const tool = { invoke: () => Promise.reject(new Error("no such file")) };
    await assert.rejects(host.api.wrapTool("run", tool).invoke({ input: {} }), /no such file/);
    host.end();
  });

  it("obeys its settings as they change", async () => {
    const host = start({ ...working, "tersed.recentResults": 1 });
    await host.api.compress("s", call(PASSED));
    await host.api.compress("s", call(PASSED, { toolCallId: "c2" }));
    assert.equal(host.view.getChildren().length, 1);
    const set = (name, value) => {
      host.settings[name] = value;
      host.configured.fire({ affectsConfiguration: (section) => section === "tersed" });
    };
    set("tersed.mode", "disabled");
    assert.equal((await host.api.compress("s", call(PASSED))).content, PASSED);
    set("tersed.enabled", false);
    assert.equal(await host.api.compress("s", call(PASSED)), null);
    assert.equal(await host.api.stats("s"), null);
    host.end();
  });

  for (const way of WAYS) {
    it(`leaves everything as it is when the program does not work: ${way}`, async () => {
      const host = start({ "tersed.path": broken(way), "tersed.deadlineMs": 150 });
      const tool = { invoke: async () => ({ content: [new globalThis.vscode.LanguageModelTextPart(PASSED)] }) };
      const wrapped = host.api.wrapTool("run", tool, "s");
      for (let turn = 0; turn < 4; turn++) {
        assert.equal(await host.api.compress("s", call(PASSED)), null);
        assert.equal((await wrapped.invoke({ input: {} })).content[0].value, PASSED);
      }
      assert.deepEqual(host.view.getChildren(), []);
      assert.equal(host.status.text, "$(fold) tersed");
      host.end();
    });
  }
});
