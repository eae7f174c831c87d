/** The framing of the Language Server Protocol: header fields, an empty line, a body of JSON. */

import { ProtocolViolation } from "./errors.js";

const MAX_HEADER = 4096;
const MAX_BODY = 2 ** 30;
const HEADER_END = Buffer.from("\r\n\r\n");

/** A message with its header, as bytes. Throws `TypeError` for values that are not JSON. */
export function encode(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Splits a stream of bytes into messages. The bytes may arrive in any pieces. */
export class Decoder {
  private chunks: Buffer[] = [];
  private size = 0;
  private need: number | undefined;

  /** Adds bytes; returns the messages that are complete now. Throws `ProtocolViolation`. */
  push(chunk: Buffer): unknown[] {
    this.chunks.push(chunk);
    this.size += chunk.length;
    const messages: unknown[] = [];
    for (;;) {
      if (this.need === undefined && !this.header()) return messages;
      const need = this.need as number;
      if (this.size < need) return messages;
      const bytes = this.joined();
      this.keep(bytes.subarray(need));
      this.need = undefined;
      messages.push(parse(bytes.subarray(0, need)));
    }
  }

  private header(): boolean {
    if (this.size === 0) return false;
    const bytes = this.joined();
    const end = bytes.indexOf(HEADER_END);
    const text = bytes.toString("latin1", 0, end < 0 ? Math.min(bytes.length, MAX_HEADER) : end);
    if (end > MAX_HEADER || (end < 0 && (bytes.length > MAX_HEADER || !startsHeader(text)))) {
      throw new ProtocolViolation(`no header: ${JSON.stringify(text.slice(0, 80))}`);
    }
    if (end < 0) return false;
    let length: number | undefined;
    for (const line of text.split("\r\n")) {
      const colon = line.indexOf(":");
      if (colon < 1) throw new ProtocolViolation(`no header field: ${JSON.stringify(line.slice(0, 80))}`);
      if (line.slice(0, colon).trim().toLowerCase() !== "content-length") continue;
      const digits = line.slice(colon + 1).trim();
      length = /^\d{1,11}$/.test(digits) ? Number(digits) : undefined;
    }
    if (length === undefined || length > MAX_BODY) {
      throw new ProtocolViolation("no usable Content-Length in the header");
    }
    this.keep(bytes.subarray(end + HEADER_END.length));
    this.need = length;
    return true;
  }

  private joined(): Buffer {
    const [only] = this.chunks;
    const bytes = this.chunks.length === 1 && only ? only : Buffer.concat(this.chunks);
    this.chunks = [bytes];
    return bytes;
  }

  private keep(rest: Buffer): void {
    this.chunks = rest.length > 0 ? [rest] : [];
    this.size = rest.length;
  }
}

/** Whether a text may be the start of header fields: each complete line has a colon. */
function startsHeader(text: string): boolean {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return lines.every((line) => line.includes(":")) && /^[\x20-\x7e\t\r]*$/.test(last);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new ProtocolViolation(`a body that is no JSON: ${String(error)}`);
  }
}
