// Runs the extension for VS Code in the real extension host and workbench: code-server with a headless Chromium. See
// README.md.

import { spawn, spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const CODE_SERVER = "4.139.1";
const WAIT_MS = 60_000;

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values } = parseArgs({
  options: {
    binary: { type: "string", default: join(root, "target/release/tersed") },
    packages: { type: "string", default: join(tmpdir(), "tersed-vscode") },
    chromium: { type: "string", default: "/usr/bin/chromium" },
    screenshots: { type: "string" },
  },
});
for (const [flag, how] of [["binary", "cargo build --release"], ["chromium", "apt-get install chromium"]]) {
  if (!existsSync(values[flag])) throw new Error(`--${flag} ${values[flag]} does not exist; run: ${how}`);
}
const binary = realpathSync(values.binary);

const cases = Array.from({ length: 120 }, (_, i) => `test tests::case_${i} ... ok`).join("\n");
const PASSED = `running 120 tests\n${cases}\n\ntest result: ok. 120 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n`;
const FAILED = `running 121 tests\n${cases}\ntest tests::odd ... FAILED\n\nfailures:\n\n---- tests::odd stdout ----\nthread 'tests::odd' (7) panicked at src/lib.rs:9:5:\nassertion failed: a == b\n\n\nfailures:\n    tests::odd\n\ntest result: FAILED. 120 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n`;

/** Installs Node.js 24, code-server and what drives the browser, once. */
function packages() {
  mkdirSync(values.packages, { recursive: true });
  const at = (path) => join(values.packages, "node_modules", path);
  const npm = (cwd, ...args) => {
    const env = { ...process.env, PATH: `${at("node/bin")}:${process.env.PATH}` };
    const ended = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...args], { cwd, env, encoding: "utf8" });
    if (ended.status !== 0) throw new Error(`npm install ${args.join(" ")} in ${cwd}: ${ended.stderr}`);
  };
  if (!existsSync(at("node/bin/node"))) {
    writeFileSync(join(values.packages, "package.json"), "{}\n");
    npm(values.packages, "node@24");
  }
  if (!existsSync(at("puppeteer-core"))) npm(values.packages, "--ignore-scripts", `code-server@${CODE_SERVER}`, "puppeteer-core@24");
  const server = at("code-server/lib/vscode");
  // Its own scripts would compile modules for terminals and logs, which are not needed here.
  for (const folder of [server, join(server, "extensions")]) {
    if (!existsSync(join(folder, "node_modules"))) npm(folder, "--omit=dev", "--ignore-scripts");
  }
  return { node: at("node/bin/node"), entry: at("code-server/out/node/entry.js"), require: createRequire(join(values.packages, "package.json")) };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What `look` gives as soon as that is something. */
async function until(what, look) {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what}: not within ${WAIT_MS} ms`);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A workbench with both extensions; `path` is where tersed is looked for. */
async function workbench(installed, path) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "tersed-vscode-run-")));
  const at = (name) => join(place, name);
  for (const folder of ["work", "calls", "extensions", "home", "user/User", "user/Machine"]) mkdirSync(at(folder), { recursive: true });
  cpSync(join(root, "editors/vscode"), at("extensions/tersed.tersed-0.1.0"), { recursive: true });
  cpSync(fileURLToPath(new URL("caller", import.meta.url)), at("extensions/tersed-test.caller-0.0.1"), { recursive: true });
  const settings = {
    "tersed.path": path ?? at("tersed"),
    "tersed.deadlineMs": 20000,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "chat.disableAIFeatures": true,
    "diffEditor.useInlineViewWhenSpaceIsLimited": false,
  };
  for (const folder of ["User", "Machine"]) writeFileSync(at(`user/${folder}/settings.json`), JSON.stringify(settings));
  // Writes down the process that it becomes.
  writeFileSync(at("tersed"), `#!/bin/sh\necho $$ >> '${at("started")}'\nexec '${binary}' "$@"\n`);
  chmodSync(at("tersed"), 0o755);
  const port = await freePort();
  const flags = ["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
  const folders = ["--user-data-dir", at("user"), "--extensions-dir", at("extensions"), at("work")];
  const env = { PATH: process.env.PATH, HOME: at("home"), LANG: "C.UTF-8", TERM: "dumb", CALLER: at("calls") };
  const server = spawn(installed.node, [installed.entry, ...flags, ...folders], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (piece) => (log += piece));
  await until("code-server", () => log.includes("HTTP server listening"));
  const puppeteer = installed.require("puppeteer-core");
  const launch = { executablePath: values.chromium, args: ["--no-sandbox", "--lang=en-US"], defaultViewport: { width: 1400, height: 860 } };
  const browser = await puppeteer.launch(launch);
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/?folder=${at("work")}`);
  const read = (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : "");
  let asked = 0;
  return {
    page,
    read,
    ready: () => until("the extension host", () => read("calls/ready.json")).then(JSON.parse),
    async compress(result) {
      const number = ++asked;
      writeFileSync(at("ask.part"), JSON.stringify({ result }));
      renameSync(at("ask.part"), at(`calls/ask-${number}.json`));
      return JSON.parse(await until("an answer", () => read(`calls/answer-${number}.json`)));
    },
    started: () => read("started").trim().split("\n").filter(Boolean).map(Number),
    status: () => page.evaluate(() => document.querySelector('[id="tersed.tersed"]')?.textContent ?? ""),
    async screenshot(name) {
      if (!values.screenshots) return;
      mkdirSync(values.screenshots, { recursive: true });
      await page.screenshot({ path: join(values.screenshots, `${name}.png`) });
    },
    async command(title) {
      await page.keyboard.press("F1");
      await page.waitForSelector(".quick-input-widget input", { visible: true, timeout: WAIT_MS });
      await page.keyboard.type(title, { delay: 10 });
      await until(`the command ${title}`, () =>
        page.evaluate((text) => document.querySelector(".quick-input-list .monaco-list-row.focused")?.textContent.includes(text), title),
      );
      await page.keyboard.press("Enter");
    },
    async end() {
      await browser.close();
      try {
        process.kill(-server.pid, "SIGKILL");
      } catch {
        // It is gone.
      }
      await sleep(300);
      rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

const call = (toolCallId, content, exitCode) => ({ toolCallId, tool: "bash", arguments: { command: `cargo test -- ${toolCallId}` }, exitCode, content });
const alive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const said = (what) => console.log(`ok: ${what}`);

/** All that works where tersed does. */
async function works(installed) {
  const host = await workbench(installed);
  try {
    const ready = await host.ready();
    assert.equal(ready.active, true);
    assert.equal(ready.version, 1);
    assert.deepEqual(host.started(), [], "nothing is started before it is needed");
    said(`activates in ${ready.app}, VS Code ${ready.vscode}`);
    await until("the status bar", async () => (await host.status()).includes("tersed"));

    const { answer, stats } = await host.compress(call("c1", PASSED, 0));
    assert.match(answer.content, /omitted 120 lines 2-121, passing_tests/);
    assert.match(answer.content, /test result: ok\. 120 passed; 0 failed/);
    assert.equal(stats.total.results, 1);
    assert.equal(host.started().length, 1);
    said(`starts tersed; a passing run of ${PASSED.length} characters becomes ${answer.content.length}`);

    const failed = await host.compress(call("c2", FAILED, 101));
    for (const line of ["test tests::odd ... FAILED", "thread 'tests::odd' (7) panicked at src/lib.rs:9:5:", "test result: FAILED. 120 passed; 1 failed"]) {
      assert.ok(failed.answer.content.includes(line), line);
    }
    assert.equal(failed.events.length, 2);
    const status = await until("savings", async () => {
      const text = await host.status();
      return /\d+ % saved/.test(text) && text;
    });
    said(`the status bar shows ${status.trim()}`);

    await host.page.click('[id="tersed.tersed"]');
    const rows = () => host.page.evaluate(() => [...document.querySelectorAll(".pane-body .monaco-list-row")].map((row) => row.textContent));
    const listed = await until("the view", async () => {
      const found = (await rows()).filter((text) => text.includes("tokens"));
      return found.length === 2 && found;
    });
    said(`its entry opens the view: ${listed.join("; ")}`);
    await host.screenshot("view");

    await host.command("tersed: Show Original beside Compressed");
    await until("the list", () => host.page.evaluate(() => document.querySelectorAll(".quick-input-list .monaco-list-row").length === 2));
    await host.page.keyboard.press("ArrowDown");
    await host.page.keyboard.press("Enter");
    const sides = await until("both sides", () =>
      host.page.evaluate(() => {
        const text = (side) => document.querySelector(`.monaco-diff-editor .editor.${side} .view-lines`)?.innerText.replaceAll("\u00a0", " ") ?? "";
        const found = { original: text("original"), modified: text("modified") };
        return found.original.includes("case_0") && found.modified.includes("omitted") ? found : null;
      }),
    );
    assert.ok(sides.original.includes("running 120 tests") && !sides.original.includes("omitted"), sides.original);
    assert.ok(sides.modified.includes("omitted 120 lines"), sides.modified);
    said("the command shows the original beside the compressed text");
    await host.screenshot("beside");

    const [first] = host.started();
    process.kill(first, "SIGKILL");
    await until("the end of tersed", () => !alive(first));
    const again = await until("another start", async () => {
      const { answer } = await host.compress(call(`r${Date.now()}`, PASSED, 0));
      return answer && host.started();
    });
    assert.equal(again.length, 2);
    said("a tersed that is killed is started again; until then results stay");
  } finally {
    await host.end();
  }
}

/** The same where tersed is missing. */
async function missing(installed) {
  const host = await workbench(installed, "/nonexistent/tersed");
  try {
    await host.ready();
    for (const id of ["c1", "c2"]) assert.equal((await host.compress(call(id, PASSED, 0))).answer, null);
    assert.doesNotMatch(await host.status(), /saved/);
    said("without tersed every result stays as it came");
    await host.screenshot("missing");
  } finally {
    await host.end();
  }
}

const installed = packages();
await works(installed);
await missing(installed);
