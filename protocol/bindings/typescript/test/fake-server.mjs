/** A server that misbehaves in the way that its first argument names. */

import { setTimeout as sleep } from "node:timers/promises";

const mode = process.argv[2];
let buffer = Buffer.alloc(0);
const waiting = [];

function write(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

function receive(message) {
  const { id, method, params } = message;
  if (method === "initialize") {
    const tersed = { protocolVersion: 1, methods: [], modes: [], tokenizers: [], limits: {} };
    write({ id, result: { capabilities: { experimental: { tersed } } } });
  } else if (method === "shutdown") {
    write({ id, result: null });
  } else if (method === "exit") {
    process.exit(0);
  } else if (mode === "waits" && method === "$/cancelRequest") {
    write({ id: params.id, error: { code: -32800, message: "cancelled" } });
    write({ method: "test/cancelled", params });
  } else if (id !== undefined) {
    answer(id, method, params);
  }
}

function answer(id, method, params) {
  switch (mode) {
    case "crashes":
      return process.exit(9);
    case "hangs":
      return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600_000);
    case "late-garbage":
      return process.stdout.write("Segmentation fault\n");
    case "half":
      return process.stdout.write('Content-Length: 99\r\n\r\n{"jsonrpc"', () => process.exit(0));
    case "wrong-shape":
      return write({ id, result: { content: 5, results: 5, body: 5 } });
    case "redaction": {
      const data = { kind: "redaction_failed", retryable: false };
      return write({ id, error: { code: -32803, message: "no redaction", data } });
    }
    case "echoes":
      return write({ id, result: { method, params } });
    default:
      return waiting.push(id);
  }
}

if (mode === "exits") process.exit(3);
if (mode === "garbage") process.stdout.write("Welcome to something else!\n");
if (mode === "flood") {
  for (;;) {
    process.stdout.write("x".repeat(65536));
    await sleep(1);
  }
}
if (mode === "silent") {
  await sleep(600_000);
}
process.stdin.on("end", () => process.exit(0));
process.stdin.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf("\r\n\r\n");
    if (end < 0) return;
    const size = Number(/content-length: *(\d+)/i.exec(buffer.toString("latin1", 0, end))[1]);
    if (buffer.length < end + 4 + size) return;
    const message = JSON.parse(buffer.toString("utf8", end + 4, end + 4 + size));
    buffer = buffer.subarray(end + 4 + size);
    receive(message);
  }
});
