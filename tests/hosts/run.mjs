// Runs real agent hosts against a scripted model on loopback, and records the text that the model would have seen of each
// tool result: without the adapter, with it, and with it while tersed is missing. See README.md.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as openai from "./model.mjs";
import { EXIT, KEPT, TRUE, workspace } from "./workspace.mjs";

/** Modules of hosts, in the order of the table. */
const HOSTS = ["claude-code", "opencode", "kilo", "pi", "copilot", "copilot-hooks", "codex", "codex-code", "gemini", "cline", "gptel", "claude-code-gateway", "codex-gateway", "codex-code-gateway", "opencode-gateway", "pi-gateway", "gemini-gateway"];

const MISSING = "/nonexistent/tersed";
/** Programs in the place of tersed that are of no use, with `--broken`: with each a host has to go on as without. */
const BROKEN = {
  garbage: 'cat > /dev/null; printf \'\\000{"hookSpecificOutput": garbage\\n\'',
  crash: "kill -SEGV $$",
  hang: "exec sleep 1000",
};
/** What stands for a result that was shown before. */
const REFERENCE = /\[Duplicate of |: same output as in /;
const TIMEOUT_MS = 180_000;
const PROMPT = "Run the tests and read the files, please.";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { values } = parseArgs({
  options: {
    hosts: { type: "string", default: HOSTS.join() },
    binary: { type: "string", default: join(root, "target/release/tersed") },
    adapters: { type: "string", default: join(root, "editors") },
    packages: { type: "string", default: join(tmpdir(), "tersed-hosts") },
    keep: { type: "boolean", default: false },
    json: { type: "string" },
    wire: { type: "boolean", default: false },
    broken: { type: "boolean", default: false },
  },
});
if (!existsSync(values.binary)) throw new Error(`--binary ${values.binary} does not exist; run: cargo build --release`);
const binary = realpathSync(values.binary);

/** Installs the packages of a host once; their folder and the version of the first. */
function packages(host) {
  const place = join(values.packages, host.installed ?? host.name);
  mkdirSync(place, { recursive: true });
  if (host.unpack) return host.unpack(place);
  const installed = join(place, "node_modules", host.packages[0].replace(/(?!^)@.*/, ""), "package.json");
  if (!existsSync(installed)) {
    writeFileSync(join(place, "package.json"), "{}\n");
    const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...host.packages], { cwd: place, encoding: "utf8" });
    if (npm.status !== 0) throw new Error(`npm install ${host.packages.join(" ")}: ${npm.stderr}`);
  }
  return { place, version: JSON.parse(readFileSync(installed, "utf8")).version };
}

/** The program of one way. */
function program(place, way) {
  if (way === "missing") return MISSING;
  if (BROKEN[way] === undefined) return binary;
  const path = join(place, "broken-tersed");
  writeFileSync(path, `#!/bin/sh\n${BROKEN[way]}\n`, { mode: 0o755 });
  return path;
}

/** The tool of each kind of call, by host. */
const toolOf = {};

/** One session of a host; what the model saw by kind of call. `way` is `without`, `with`, `missing` or one of BROKEN. */
async function session(host, installed, way) {
  const place = realpathSync(mkdtempSync(join(tmpdir(), `tersed-${host.name}-${way}-`)));
  const home = join(place, "home");
  mkdirSync(home);
  const work = workspace(join(place, "work"));
  spawnSync("git", ["init", "--quiet", work.path]);
  const about = {
    place,
    installed,
    home,
    work,
    prompt: PROMPT,
    adapter: join(realpathSync(values.adapters), host.adapter ?? host.name),
    binary: program(place, way),
  };
  const calls = host.calls(about);
  const expand = (values.wire && host.wiredExpand) || host.expand;
  if (expand && way === "with") calls.push({ kind: "expand", args: expandArgs, ...expandCall(expand) });
  for (const { kind, tool } of calls.flatMap((call) => [call, ...(call.inner ?? [])])) toolOf[`${host.name} ${kind}`] = tool;
  const model = await (host.scriptedModel ?? openai).start(calls);
  about.model = model.url;
  try {
    await host.configure?.(about);
    if (way !== "without") await (values.wire ? wire(host, about, way) : host.install(about));
    const ended = await run(host, installed, about);
    const seen = { ...model.seen };
    const absent = calls.filter(({ kind }) => seen[kind] === undefined).map(({ kind }) => kind);
    if (absent.length) {
      const offered = [...(model.offered ?? [])].join(" ");
      throw new Error(`${host.name} ${way}: no result of ${absent.join(", ")}; tools: ${offered}\n${ended.slice(-3000)}`);
    }
    const forHooks = [...(model.offered ?? [])].filter((name) => name.endsWith("tersed_hook"));
    if (forHooks.length) throw new Error(`${host.name} ${way}: the model is offered ${forHooks.join(", ")}`);
    // Each session has its own folder, whose name is in results.
    for (const kind of Object.keys(seen)) {
      seen[kind] = host.normalize ? host.normalize(seen[kind]) : seen[kind];
      seen[kind] = seen[kind].replaceAll(place, "PLACE");
    }
    return seen;
  } finally {
    await host.stop?.(about);
    await model.close();
    if (!values.keep) rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    else console.error(`kept ${place}`);
  }
}

/** A tool of ours, or what else reads back: `{tool, args}`. */
const expandCall = (expand) => (typeof expand === "string" ? { tool: expand } : expand);

/** Wires a host as a user does, with `tersed install`, which names the program by its path. */
function wire(host, about, way) {
  const bin = join(about.place, "bin");
  mkdirSync(bin, { recursive: true });
  // A command in a text is searched in the PATH.
  if (way === "with") symlinkSync(binary, join(bin, "tersed"));
  const env = { PATH: process.env.PATH, HOME: about.home, ...host.env?.(about) };
  const done = spawnSync(binary, ["install", host.name, "--command", about.binary], { cwd: about.work.path, env, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`tersed install ${host.name}: ${done.stderr}`);
}

/** Asks for lines that the marker in the run that passed left out. */
function expandArgs({ passed }) {
  return { id: /(?:, id|artifacts show) ([0-9a-f]{8,})\]/.exec(passed)?.[1] ?? "none", first: 2, last: 3 };
}

function run(host, installed, about) {
  const bins = join(installed.place, "node_modules/.bin");
  const path = [...(host.path?.(about) ?? []), bins, process.env.PATH].join(delimiter);
  const env = {
    PATH: path,
    HOME: about.home,
    TERM: "dumb",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    TERSED_BIN: about.binary,
    TERSED_DEADLINE_MS: "20000",
    ...host.env?.(about),
  };
  return new Promise((resolve, reject) => {
    const program =
      host.program ?? (host.bin.includes("/") ? join(installed.place, "node_modules", host.bin) : join(bins, host.bin));
    const [first, ...args] = host.launch?.(about, program, host.args(about)) ?? [program, ...host.args(about)];
    const child = spawn(first, args, {
      cwd: about.work.path,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += piece));
    const stop = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(stop, TIMEOUT_MS);
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      stop();
      resolve(output);
    });
  });
}

/** What became of the exit status of the run that failed. */
function exitOf({ without, with: after }) {
  const [before, then] = [without, after].map((text) => text.includes(String(EXIT)));
  return before ? (then ? "kept" : "lost") : then ? "added; the host gives none" : "the host gives none";
}

/** What is wrong with the texts of one call, as a list. */
function faults(host, kind, { without, with: after, missing }) {
  const found = [];
  // A reference names a result that shows the text.
  const isReference = REFERENCE.test(after);
  for (const line of (!isReference && TRUE[kind]) || []) {
    if (without.includes(line) && !after.includes(line)) found.push(`lost: ${line}`);
  }
  const kept = host.cuts?.includes(kind) ? undefined : KEPT[kind];
  for (const line of kept ?? []) if (!after.includes(line)) found.push(`lost: ${line}`);
  if (after.length > without.length && !kept) found.push("larger");
  if (host.same?.includes(kind)) {
    if (after !== without) found.push("another text than without the adapter");
  } else if (after === without && !host.unchanged?.includes(kind)) found.push("unchanged");
  if (missing !== without) found.push("other text while tersed is missing");
  if (kind === "failed" && exitOf({ without, with: after }) === "lost") found.push("exit status lost");
  if (kind === "again" && host.references !== false && !isReference) found.push("no reference to the same result");
  return found;
}

/** What a program that is of no use changed, as a list. */
async function broken(host, installed, without) {
  const found = [];
  for (const way of values.broken ? Object.keys(BROKEN) : []) {
    const seen = await session(host, installed, way);
    const other = Object.keys(without).filter((kind) => seen[kind] !== without[kind]);
    if (other.length) found.push(`${way}: other text of ${other.join(", ")}`);
  }
  return found;
}

const rows = [];
let failed = false;
for (const name of values.hosts.split(",")) {
  const host = (await import(`./${name}.mjs`)).default;
  try {
    const installed = packages(host);
    const seen = {};
    for (const way of ["without", "with", "missing"]) seen[way] = await session(host, installed, way);
    const { expand } = seen.with;
    if (expand !== undefined) {
      const wrong = TRUE.expand.filter((line) => !expand.includes(line)).map((line) => `lost: ${line}`);
      failed ||= wrong.length > 0;
      const verdict = wrong.length ? JSON.stringify(expand.slice(0, 200)) : "ok";
      rows.push({ host: `${name} ${installed.version}`, result: "expand", before: "", after: expand.length, exit: "", missing: "", verdict });
    }
    for (const kind of Object.keys(seen.without)) {
      const texts = { without: seen.without[kind], with: seen.with[kind], missing: seen.missing[kind] };
      const wrong = faults(host, kind, texts);
      failed ||= wrong.length > 0;
      rows.push({
        host: `${name} ${installed.version}`,
        result: kind,
        before: texts.without.length,
        after: texts.with.length,
        exit: kind === "failed" ? exitOf(texts) : "",
        missing: texts.missing === texts.without ? "same" : "differs",
        verdict: wrong.join("; ") || "ok",
        texts,
      });
    }
    if (values.broken) {
      const wrong = await broken(host, installed, seen.without);
      failed ||= wrong.length > 0;
      const result = Object.keys(BROKEN).join(", ");
      const missing = wrong.length ? "differs" : "same";
      rows.push({ host: `${name} ${installed.version}`, result, before: "", after: "", exit: "", missing, verdict: wrong.join("; ") || "ok" });
    }
  } catch (error) {
    failed = true;
    rows.push({ host: name, result: "", before: "", after: "", exit: "", missing: "", verdict: error.message });
  }
}

const columns = ["host", "result", "before", "after", "exit", "missing", "verdict"];
console.log(`| ${columns.join(" | ")} |\n|${" --- |".repeat(columns.length)}`);
for (const row of rows) console.log(`| ${columns.map((column) => row[column]).join(" | ")} |`);
for (const row of rows) row.tool = toolOf[`${row.host.split(" ")[0]} ${row.result}`];
if (values.json) writeFileSync(values.json, `${JSON.stringify(rows, null, 1)}\n`);
process.exitCode = failed ? 1 : 0;
