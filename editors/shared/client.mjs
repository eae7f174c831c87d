// The client of `tersed`, a child process, for plugins of agent hosts. It has no dependencies, and works with Node.js 18
// and later and with Bun.
//
// Fail open: no function here throws or rejects. If the program is missing, slow, crashed, or answers garbage,
// the result is null, and the host keeps its own text. A program that failed is started again when it is next needed,
// after a pause that doubles from 250 ms to 60 s. After two waits without an answer, it is not asked for a minute.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";

const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 60_000;
// After so many late answers in a row the program is not asked for so long (milliseconds).
const MOST_LATE = 2;
const REST_MS = 60_000;
// More than the server's largest message; a longer line is not an answer.
const MOST_UNREAD_CHARS = 300 * 1024 * 1024;
// A whole conversation takes longer than a result: its deadline is so many times as long.
const HISTORY_DEADLINES = 3;
// Codes of JSON-RPC: invalid parameters; the server is not initialized yet.
const INVALID_PARAMS = -32602;
const NOT_INITIALIZED = -32002;
// The number of conversations, the latest ones, whose last answer is remembered.
const MOST_HISTORIES = 16;
// Strings in texts that were compressed before. They may refer to other results, which must then be kept.
const WORKED_ON = /\[tersed[:#]|\[Duplicate of |\[EXTERNALIZED: /;

/** Starts `tersed` on first use, sends requests to it, and starts it again after it ended. */
export class Tersed {
  #settings;
  #child = null;
  #pending = new Map();
  #nextId = 1;
  #late = 0;
  #pause = FIRST_PAUSE_MS;
  #notBefore = 0;
  #closed = false;
  #ready = false;
  // The greeting (`initialize`), until it is answered.
  #greeted = null;
  // By session: `shown`, the shown text of each result by id, with a digest of the original; and `reclaims`.
  #histories = new Map();

  /**
   * `settings`: `command`, the program (by default `TERSED_BIN`, else `tersed` on the path); `args`, more arguments of it;
   * `policy`, see `protocol/spec.md` section 4.2; `deadlineMs`, after which the original is returned (1500);
   * `startMs`, after which a program that does not answer `initialize` counts as broken (5000); `env` of the program.
   */
  constructor(settings = {}) {
    const env = process.env;
    this.#settings = {
      command: settings.command || env.TERSED_BIN || "tersed",
      args: settings.args ?? [],
      policy: { ...settings.policy },
      deadlineMs: positive(settings.deadlineMs) ?? positive(env.TERSED_DEADLINE_MS) ?? 1500,
      startMs: positive(settings.startMs) ?? 5000,
      env: settings.env,
    };
  }

  /**
   * The answer of `toolResult/compress` for `result` (`{content, evidence, artifact}`), or null: then the
   * host keeps its own text. The content has the shape of the original.
   */
  async compress(sessionId, result, { signal, policy, query, hostCut } = {}) {
    if (!compressible(result?.content)) return null;
    const params = { sessionId: idOf(sessionId), result: { ...result, toolCallId: idOf(result.toolCallId) } };
    if (policy) params.policy = policy;
    if (query) params.query = query;
    if (hostCut) params.hostCut = hostCut;
    const answer = await this.request("toolResult/compress", params, { signal });
    return answer && sameShape(result.content, answer.content) ? answer : null;
  }

  /**
   * The compressed results of a whole conversation. `turns` are answers of the model in order, `{said, results}`: its
   * text, and the results of its calls, each as for `compress`, with an id. Returns the contents of all results in
   * order. Results that are no longer needed are removed. Without an answer each has the content that it had last.
   */
  async history(sessionId, turns, { signal } = {}) {
    const results = turns.flatMap((turn) => turn.results);
    // Decided once, because a removed result must not return.
    const reclaims = this.#histories.get(sessionId)?.reclaims ?? !results.some(isWorkedOn);
    const contents = await this.#historyOf(sessionId, turns, results, reclaims, signal);
    const last = this.#histories.get(sessionId)?.shown;
    const marked = results.map((result, i) => {
      const digest = createHash("sha256").update(JSON.stringify(result.content)).digest("base64");
      const known = last?.get(result.toolCallId);
      return { digest, content: contents?.[i] ?? (known?.digest === digest ? known.content : result.content) };
    });
    this.#histories.delete(sessionId);
    this.#histories.set(sessionId, { reclaims, shown: new Map(marked.map((one, i) => [results[i].toolCallId, one])) });
    if (this.#histories.size > MOST_HISTORIES) this.#histories.delete(this.#histories.keys().next().value);
    return marked.map((one) => one.content);
  }

  /** The contents after `messages/compress`, or null. */
  async #historyOf(sessionId, turns, results, reclaims, signal) {
    if (!results.length || !idOf(sessionId) || results.some((result) => !idOf(result.toolCallId))) return null;
    const params = { sessionId, format: "anthropic", body: { messages: turns.flatMap(messagesOf) } };
    if (reclaims) params.reclaim = "auto";
    const answer = await this.request("messages/compress", params, { signal, deadlineMs: HISTORY_DEADLINES * this.#settings.deadlineMs });
    const blocks = answer?.body?.messages?.filter?.(({ role }) => role === "user").flatMap((message) => message.content);
    if (blocks?.length !== results.length) return null;
    const contents = blocks.map((block, i) => contentOf(block, results[i]));
    return contents.includes(undefined) ? null : contents;
  }

  /** Reports that results left the model's context: `{toolCallIds}` that left, or `{visible}`, the only ones left. */
  evicted(sessionId, what) {
    // A program that was not started has nothing to forget.
    if (this.#ready) this.#send({ method: "session/evicted", params: { sessionId: idOf(sessionId), ...what } });
  }

  /** Reports that a conversation was summarized, shortened, cleared or resumed: only calls in `visible` are left. */
  compacted(sessionId, visible = []) {
    if (this.#ready) this.#send({ method: "session/compacted", params: { sessionId: idOf(sessionId), visible } });
  }

  /**
   * Forks a conversation: the new session starts with all results that the other one shows, or only with the calls in
   * `visible`. Returns the answer of `session/fork`, or null. Send no requests in the new session before that.
   */
  async fork(sessionId, newSessionId, visible) {
    const params = { sessionId: idOf(sessionId), newSessionId: idOf(newSessionId), ...(visible && { visible }) };
    return this.#ready ? this.request("session/fork", params) : null;
  }

  /** The text of an original, or of `lines` (`[[first, last], …]`) of it; or a message for the model if there is none. */
  async read(sessionIds, id, lines) {
    const params = { id: idGiven(String(id)), numbering: "shown" };
    if (lines?.length) params.lines = lines;
    let answer;
    // If agents share their results, any of them may have the original.
    for (const sessionId of [sessionIds].flat()) {
      answer = await this.request("artifact/read", { ...params, sessionId: idOf(sessionId) });
      if (typeof answer?.text === "string") break;
    }
    if (typeof answer?.text !== "string") return `No original ${params.id} can be read; run the tool again.`;
    return answer.nextCursor ? `${answer.text}\n[more follows: ask for later lines]` : answer.text;
  }

  /** Totals of a session from `session/stats`, or null. Does not start the program. */
  async stats(sessionId) {
    return this.#ready ? this.request("session/stats", { sessionId: idOf(sessionId) }) : null;
  }

  /** The result of any request, or null. `deadlineMs` applies only to this request. */
  async request(method, params, { signal, deadlineMs = this.#settings.deadlineMs } = {}) {
    if (signal?.aborted || !this.#start()) return null;
    let error;
    const answer = await this.#ask(method, params, deadlineMs, signal, (told) => (error = told));
    if (error?.code !== NOT_INITIALIZED || !this.#child) return answer;
    // The first greeting was refused.
    await this.#greeted;
    return signal?.aborted || !this.#child ? null : this.#ask(method, params, deadlineMs, signal);
  }

  /** Whether the program runs and has answered `initialize`. */
  get running() {
    return this.#ready;
  }

  /** Ends the program; later requests return null. */
  close() {
    this.#closed = true;
    const child = this.#child;
    this.#drop(child);
    try {
      child?.stdin.end();
    } catch {
      // It has ended already.
    }
  }

  #start() {
    if (this.#child) return true;
    if (this.#closed || Date.now() < this.#notBefore) return false;
    const { command, args, policy, startMs, env } = this.#settings;
    let child;
    try {
      child = spawn(command, ["--framing", "lines", ...args], {
        stdio: ["pipe", "pipe", "ignore"],
        env: env ?? process.env,
        windowsHide: true,
      });
    } catch {
      this.#failed(null);
      return false;
    }
    this.#child = child;
    child.on("error", () => this.#failed(child));
    child.on("exit", () => this.#failed(child));
    child.stdin.on("error", () => this.#failed(child));
    child.stdout.on("error", () => this.#failed(child));
    this.#read(child);
    // The host may end while the program waits for work.
    for (const handle of [child, child.stdin, child.stdout]) handle.unref?.();
    const greet = (own, onError) => {
      const tersed = { protocolVersions: [1], policy: { evidence: "changed", ...own } };
      const greeting = { processId: process.pid, capabilities: {}, initializationOptions: { tersed } };
      return this.#ask("initialize", greeting, startMs, undefined, onError);
    };
    let error;
    const again = (answer) => {
      if (error?.code !== INVALID_PARAMS || this.#child !== child) return answer;
      // A misspelt setting must not turn off redaction, so the default settings apply.
      warn(`tersed: the policy does not count, the default one does: ${error.message}`);
      // `expandTool` is set by the plugin, not by the user.
      return greet(policy.expandTool === true ? { expandTool: true } : {});
    };
    this.#greeted = greet(policy, (told) => (error = told)).then(again).then((answer) => {
      if (this.#child !== child) return;
      if (answer?.capabilities?.experimental?.tersed) {
        this.#ready = true;
        this.#send({ method: "initialized", params: {} });
      } else {
        this.#failed(child);
      }
    });
    return true;
  }

  #ask(method, params, deadlineMs, signal, onError) {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      const done = (answer) => {
        clearTimeout(timer);
        signal?.removeEventListener?.("abort", stop);
        this.#pending.delete(id);
        resolve(answer);
      };
      const stop = () => {
        this.#send({ method: "$/cancelRequest", params: { id } });
        done(null);
      };
      const timer = setTimeout(() => {
        stop();
        // A program that hangs is ended. The count continues after its next start.
        if (++this.#late >= MOST_LATE) this.#failed(this.#child, REST_MS);
      }, deadlineMs);
      signal?.addEventListener?.("abort", stop, { once: true });
      // The answer to the greeting does not reset the count.
      this.#pending.set(id, { done, onError, isAnswer: method !== "initialize" });
      this.#send({ id, method, params });
    });
  }

  #send(message) {
    const child = this.#child;
    try {
      child?.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    } catch {
      this.#failed(child);
    }
  }

  #read(child) {
    let pieces = [];
    let length = 0;
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text) => {
      let from = 0;
      for (let end; (end = text.indexOf("\n", from)) >= 0; from = end + 1) {
        pieces.push(text.slice(from, end));
        const line = pieces.join("");
        pieces = [];
        length = 0;
        if (this.#child === child) this.#receive(child, line);
      }
      pieces.push(text.slice(from));
      length += text.length - from;
      if (length > MOST_UNREAD_CHARS) this.#failed(child);
    });
  }

  #receive(child, line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#failed(child);
    }
    if (message === null || typeof message !== "object") return this.#failed(child);
    const asked = this.#pending.get(message.id);
    // An answer that came after its deadline, or a notification.
    if (!asked) return;
    if (asked.isAnswer) this.#late = 0;
    this.#pause = FIRST_PAUSE_MS;
    if (message.error !== undefined) asked.onError?.(message.error);
    asked.done(message.error === undefined ? (message.result ?? null) : null);
  }

  #failed(child, rest = 0) {
    if (child !== this.#child) return;
    this.#notBefore = Date.now() + Math.max(this.#pause, rest);
    this.#pause = Math.min(this.#pause * 2, LAST_PAUSE_MS);
    this.#drop(child);
    try {
      child?.kill("SIGKILL");
    } catch {
      // It never ran, or has ended.
    }
  }

  #drop(child) {
    if (child !== this.#child) return;
    this.#child = null;
    this.#ready = false;
    for (const asked of [...this.#pending.values()]) asked.done(null);
  }
}

const warned = new Set();

/** Warns once. */
function warn(message) {
  if (warned.has(message)) return;
  warned.add(message);
  process.emitWarning?.(message, "TersedWarning");
}

/** Whether a result has texts of ours, except those of the tool that reads originals. */
function isWorkedOn({ tool, content }) {
  return tool !== EXPAND.name && WORKED_ON.test(JSON.stringify(content));
}

/** A turn as messages of a request. An exit code is in JSON beside the text, where the program looks for it. */
function messagesOf({ said, results }) {
  const calls = results.map(({ toolCallId, tool, arguments: input }) => ({
    type: "tool_use",
    id: toolCallId,
    name: tool,
    input: input !== null && typeof input === "object" ? input : {},
  }));
  const blocks = results.map(({ toolCallId, content, exitCode, isError }) => ({
    type: "tool_result",
    tool_use_id: toolCallId,
    ...(isError === true && { is_error: true }),
    content: typeof content === "string" && exitCode !== undefined ? JSON.stringify({ exit_code: exitCode, output: content }) : content,
  }));
  const text = said ? [{ type: "text", text: said }] : [];
  const asked = text.length + calls.length ? [{ role: "assistant", content: [...text, ...calls] }] : [];
  return blocks.length ? [...asked, { role: "user", content: blocks }] : asked;
}

/** The content in a block of the answer, in the shape of the original; undefined if it has another shape. */
function contentOf(block, { toolCallId, content, exitCode }) {
  if (block?.tool_use_id !== toolCallId) return undefined;
  let given = block.content;
  if (typeof content === "string" && exitCode !== undefined) {
    try {
      // A removed result has no exit code.
      const inside = JSON.parse(given);
      if (typeof inside?.output === "string") given = inside.output;
    } catch {
      // It is a plain text.
    }
  }
  return sameShape(content, given) ? given : undefined;
}

/** The exit code that `pattern` finds at the end of a text, or undefined. */
export function exitCodeAtEnd(text, pattern) {
  const found = pattern.exec(text.slice(-200));
  return found ? Number(found[1]) : undefined;
}

/** Ranges `[[first, last]]` from the arguments of a model; undefined for the whole original. */
export function linesOf({ first, last } = {}) {
  const from = positive(first);
  const to = positive(last);
  if (!from && !to) return undefined;
  return [[Math.trunc(from ?? 1), Math.trunc(to ?? Number.MAX_SAFE_INTEGER)]];
}

/** The id in a model's argument: the id itself, in upper or lower case, or a whole marker with it. */
function idGiven(given) {
  const text = typeof given === "string" ? given.trim() : "";
  const named = /\b(?:id|artifacts show) ([0-9a-f]{8,64})\b/.exec(text)?.[1];
  return named ?? (/^[0-9a-f]+$/i.test(text) ? text.toLowerCase() : text);
}

/** The description for the model of the tool that reads originals. */
export const EXPAND = {
  name: "tersed_expand",
  description:
    "Reads back lines that a marker such as [tersed#493027516823: omitted 20 lines 6-25, passing_tests, id 2f9a3daa] left " +
    "out of an earlier tool result. Use it only when the omitted lines matter.",
  parameters: {
    type: "object",
    properties: {
      id: {
        type: "string",
        description:
          "The id in the marker, or in the first one above it that has one, or the whole marker; not the 12 digits behind tersed#",
      },
      first: { type: "integer", minimum: 1, description: "First line, as the marker counts" },
      last: { type: "integer", minimum: 1, description: "Last line" },
    },
    required: ["id"],
  },
};

function compressible(content) {
  return typeof content === "string" ? content !== "" : Array.isArray(content) && content.length > 0;
}

function sameShape(given, answer) {
  if (typeof given === "string") return typeof answer === "string";
  return Array.isArray(answer) && answer.length === given.length && answer.every((part, i) => part?.type === given[i]?.type);
}

function idOf(id) {
  // The server accepts ids of 1 to 512 bytes.
  return typeof id === "string" && id !== "" && Buffer.byteLength(id) <= 512 ? id : undefined;
}

function positive(value) {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
