#!/usr/bin/env node
// A stub for a `tersed` that does not work. `BROKEN` selects the fault:
// hang: answers nothing; garbage: answers text that is not a message; exit: ends at once;
// crash: answers `initialize`, and ends at the first result; late: answers `initialize`, and nothing else;
// slow: answers `initialize` once the file that `BROKEN_GREETS` names exists, and nothing else;
// wrong: answers results with content of another shape; error: answers results with errors.

import { appendFileSync, existsSync } from "node:fs";

const lines = process.argv.includes("lines");
const how = process.env.BROKEN;
if (process.env.BROKEN_STARTS) appendFileSync(process.env.BROKEN_STARTS, "start\n");
if (how === "exit") process.exit(3);

function write(message) {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write(lines ? `${body}\n` : `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

let unread = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  unread = Buffer.concat([unread, data]);
  for (let body; (body = take()) !== null; ) receive(JSON.parse(body));
});
process.stdin.on("end", () => process.exit(0));

function take() {
  const end = unread.indexOf(lines ? "\n" : "\r\n\r\n");
  if (end < 0) return null;
  const start = lines ? 0 : end + 4;
  const stop = lines ? end : start + Number(/Content-Length: (\d+)/i.exec(unread.subarray(0, end))[1]);
  if (stop > unread.length) return null;
  const body = unread.subarray(start, stop).toString();
  unread = unread.subarray(lines ? stop + 1 : stop);
  return body;
}

function greet(id) {
  if (how === "slow" && !existsSync(process.env.BROKEN_GREETS)) return void setTimeout(greet, 10, id);
  write({ id, result: { capabilities: { experimental: { tersed: { protocolVersion: 1 } } } } });
}

function receive({ id, method }) {
  if (how === "hang" || id === undefined) return;
  if (how === "garbage") return void process.stdout.write("Segmentation fault, or so\nnot a message\r\n\r\n");
  if (method === "initialize") return greet(id);
  if (how === "crash") process.exit(134);
  if (how === "wrong") return write({ id, result: { content: 7 } });
  if (how === "error") return write({ id, error: { code: -32603, message: "a fault" } });
}
