// The WebAssembly module against the golden fixtures of the engine, and a session in it. The argument is the module that
// `cargo build --profile wasm -p tersed-wasm --target wasm32-unknown-unknown` makes.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Tersed, TersedError } from "../editors/wasm/index.mjs";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));
const AREAS = ["detail", "reduce", "encode", "elide", "trace", "generic", "rules"];
const HEADER = /^==== case: (.+?)(, without a final newline)? ====$/;
const KEY = "5a".repeat(32);

const module = await WebAssembly.compile(readFileSync(process.argv[2]));

/** The sections of a case, as `tests/common/fixture.rs` reads them. Each byte is a character. */
function sections(path) {
  const found = {};
  let name;
  let isOpen = false;
  const close = () => isOpen && (found[name] = found[name].replace(/\n$/, ""));
  for (const line of readFileSync(path, "latin1").split(/(?<=\n)/)) {
    const header = HEADER.exec(line.replace(/\n$/, ""));
    if (header) {
      close();
      [name, isOpen] = [header[1], header[2] !== undefined];
      found[name] = "";
    } else found[name] += line;
  }
  close();
  return found;
}

/** Text of bytes; undefined where they are no UTF-8. */
function text(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined;
  }
}

/** Every engine has another key, and the fixtures have none. */
const unsealed = (shown) => shown.replace(/\[tersed#\d{12}:/g, "[tersed:");

async function fixtures() {
  const engine = await Tersed.start(module);
  let same = 0;
  for (const area of AREAS) {
    for (const entry of readdirSync(join(FIXTURES, area), { recursive: true })) {
      if (!entry.endsWith(".txt")) continue;
      const found = sections(join(FIXTURES, area, entry));
      const content = text(found.input);
      if (content === undefined) continue;
      const { policy, query, ...call } = JSON.parse(text(found["call.json"]));
      const { content: shown } = engine.compress({ ...call, content }, { policy, query });
      assert.equal(unsealed(shown), unsealed(text(found.output)), `${area}/${entry}`);
      same += 1;
    }
  }
  assert.ok(same > 1500, `${same}`);
  return `${same} fixtures give the text that the program gives`;
}

const RUN = `running 60 tests\n${Array.from({ length: 60 }, (_, n) => `test number_${n} ... ok`).join("\n")}\n\n` +
  "test result: ok. 60 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n";

async function session() {
  const [one, other] = [await Tersed.start(module, { sealKey: KEY }), await Tersed.start(module, { sealKey: KEY })];
  const send = (engine, id) =>
    engine.compress({ toolCallId: id, tool: "bash", arguments: { command: "cargo test" }, content: RUN }, { sessionId: "s" });
  const first = send(one, "a");
  assert.match(first.content, /omitted 60 lines 2-61, passing_tests/);
  assert.deepEqual(send(one, "a").content, first.content, "the same again");
  assert.equal(send(other, "a").content, first.content, "the same key gives the same bytes");
  assert.match(send(one, "b").content, /^\[Duplicate of a \(bash\); see earlier result\]/);
  const page = one.request("artifact/read", { sessionId: "s", id: first.artifact.id });
  assert.equal(page.text, RUN);
  one.request("session/close", { sessionId: "s" });
  assert.throws(() => one.request("artifact/read", { sessionId: "s", id: first.artifact.id }), TersedError);
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
  assert.equal(one.compress({ tool: "bash", content: `key ${secret}\n` }).content, "key [REDACTED:github-pat]\n");
}

async function faults() {
  const engine = await Tersed.start(module);
  const fault = (method, params) => {
    try {
      engine.request(method, params);
    } catch (error) {
      assert.ok(error instanceof TersedError);
      return error;
    }
    return assert.fail(`${method} did not fail`);
  };
  assert.equal(fault("toolResult/compress", { result: 5 }).code, -32602);
  assert.equal(fault("no/method").code, -32601);
  await assert.rejects(Tersed.start(module, { sealKey: "5a" }), /sealKey is not 64 hexadecimal digits/);
  await assert.rejects(Tersed.start(module, { options: { policy: { mode: "agressive" } } }), /agressive/);
  // Nested as deep as no stack is.
  assert.ok(engine.compress({ tool: "bash", content: "[".repeat(200_000) }).content.length > 0);
  assert.match(engine.compress({ tool: "bash", content: RUN }).content, /passing_tests/, "it lives");
}

console.log(await fixtures());
await session();
await faults();
