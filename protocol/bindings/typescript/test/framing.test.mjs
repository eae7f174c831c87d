/** Messages are found however their bytes are cut; anything else is noticed. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Decoder, encode } from "../dist/framing.js";

test("messages are found however their bytes are cut", () => {
  const messages = [{ text: "é€𝄞" }, {}, { list: [1, "\r\n\r\n"] }];
  const bytes = Buffer.concat(messages.map(encode));
  for (let size = 1; size <= bytes.length; size += 1) {
    const decoder = new Decoder();
    const found = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...decoder.push(bytes.subarray(at, at + size)));
    assert.deepEqual(found, messages, `pieces of ${size}`);
  }
});

test("header names are compared without case, others are ignored", () => {
  const bytes = Buffer.from("content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}");
  assert.deepEqual(new Decoder().push(bytes), [{}]);
});

test("anything else is noticed", () => {
  for (const text of [
    "Segmentation fault\n",
    "\x00\x01",
    "Content-Length: x\r\n\r\n",
    "Content-Length: 99999999999\r\n\r\n",
    "Content-Type: y\r\n\r\n{}",
    "Content-Length: 3\r\n\r\n{x}",
    "x".repeat(5000),
    `${"a: b\r\n".repeat(1000)}`,
  ]) {
    assert.throws(() => new Decoder().push(Buffer.from(text)), { reason: "garbage" }, text.slice(0, 40));
  }
});
