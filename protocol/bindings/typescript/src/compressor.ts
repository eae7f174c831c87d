/** Compression that never fails its caller. */

import { Client, type ClientOptions } from "./client.js";
import { BinaryNotFound, RedactionFailed, TersedError } from "./errors.js";
import type { Failure, MessagesOutcome, Outcome } from "./outcome.js";
import type {
  BatchItem,
  CommandWords,
  Compressed,
  ContextItem,
  Format,
  Listed,
  ModelAnswer,
  PolicyPatch,
  ReclaimTerms,
  Stats,
} from "./protocol.js";
import { Stream } from "./stream.js";

/** The state of the context, from which removable results are chosen. */
export interface ReclaimOptions {
  /** The contents of the context, in order: calls of results, and the tokens between them. */
  context?: ContextItem[] | undefined;
  /** The cache, and how many requests are expected. */
  terms?: ReclaimTerms | undefined;
  sessionId?: string | undefined;
}

/** A tool call and properties of its result. */
export interface CallInfo {
  /** The name of the tool. */
  tool?: string | undefined;
  /** The arguments of the call; a command in them is recognized. */
  arguments?: unknown;
  /** The command line, if it is not in the arguments. */
  command?: CommandWords | undefined;
  /** With a session, the same call gets the same bytes again. */
  toolCallId?: string | undefined;
  exitCode?: number | undefined;
  isError?: boolean | undefined;
}

/** Options of one compression. */
export interface CompressOptions extends CallInfo {
  sessionId?: string | undefined;
  /** What the agent is looking for. */
  query?: string | undefined;
  /** Return the exact bytes. */
  fullOutput?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface CompressorOptions {
  /** The client, or how to make one. */
  client?: Client | ClientOptions | undefined;
  /** Identifies the conversation, which has its own memo, references and originals. */
  sessionId?: string | undefined;
  policy?: PolicyPatch | undefined;
  /** Milliseconds after which the original is returned. Default 5000. */
  deadline?: number | undefined;
  /** Called with every failure. */
  onFailure?: ((failure: Failure) => void) | undefined;
}

/**
 * Compresses tool results and fails open.
 *
 * With `tersed` missing, slow, broken or gone, every method returns the original within
 * `deadline` milliseconds, and calls `onFailure` with the reason. After a failure the server is not tried for a while,
 * so that calls in between cost nothing. Settings that the server refuses are left out, with a warning: the
 * defaults apply. The only error that is thrown is `RedactionFailed`: the server is there and could not remove
 * secrets.
 */
export class Compressor {
  readonly client: Client;
  readonly deadline: number;
  readonly sessionId: string | undefined;
  private readonly policy: PolicyPatch | undefined;
  private readonly onFailure: ((failure: Failure) => void) | undefined;

  constructor(options: CompressorOptions = {}) {
    this.client = options.client instanceof Client ? options.client : new Client(options.client);
    this.client.beLenient();
    this.deadline = options.deadline ?? 5000;
    this.sessionId = options.sessionId;
    this.policy = options.policy;
    this.onFailure = options.onFailure;
  }

  /** Compresses one result: a text, or an array of parts. */
  async compress<T extends string | unknown[]>(
    content: T,
    options: CompressOptions = {},
  ): Promise<Outcome<T extends string ? string : T>> {
    const { sessionId = this.sessionId, query, fullOutput, signal, ...call } = options;
    const original = content as T extends string ? string : T;
    try {
      const params = { result: { ...call, content }, sessionId, policy: this.policy, query, fullOutput };
      const answer = await this.client.toolResultCompress(params, { timeout: this.deadline, signal });
      return outcome<typeof original>(answer, original);
    } catch (error) {
      return { content: original, failure: this.failed(error, "toolResult/compress") };
    }
  }

  /** Compresses the results of one turn, in order: each a result, or an object with `result` and `fullOutput`. */
  async compressBatch(
    results: readonly BatchItem[],
    sessionId = this.sessionId,
  ): Promise<Outcome<string | unknown[]>[]> {
    try {
      const params = { results: [...results], sessionId, policy: this.policy };
      const answer = await this.client.toolResultCompressBatch(params, { timeout: this.deadline });
      if (answer.results.length !== results.length) {
        throw new TersedError("the server answered with another number of results");
      }
      return answer.results.map((one, n) => outcome(one, contentOf(results[n])));
    } catch (error) {
      const failure = this.failed(error, "toolResult/compressBatch");
      return results.map((item) => ({ content: contentOf(item), failure }));
    }
  }

  /**
   * Compresses the tool results in a request body for a model's provider. With `reclaim`, and in a session,
   * earlier results that are no longer needed are removed from the conversation when that pays.
   */
  async compressMessages<T extends object>(
    body: T,
    options: {
      format?: Format | undefined;
      sessionId?: string | undefined;
      signal?: AbortSignal | undefined;
      reclaim?: boolean | undefined;
    } = {},
  ): Promise<MessagesOutcome<T>> {
    const { format, sessionId = this.sessionId, signal, reclaim = false } = options;
    try {
      // Removed results must be remembered, which needs a session.
      const auto = reclaim && sessionId ? { reclaim: "auto" as const } : {};
      const params = { body, format, sessionId, policy: this.policy, ...auto };
      const answer = await this.client.messagesCompress(params, { timeout: this.deadline, signal });
      const { results, tokens, reclaim: left } = answer;
      return { content: checked(answer.body, body), results, tokens, reclaim: left ?? undefined };
    } catch (error) {
      return { content: body, failure: this.failed(error, "messages/compress") };
    }
  }

  /**
   * Opens a stream for a command that is still running. It uses the policy and, unless you name another, the session of
   * this compressor.
   */
  stream(call: CallInfo = {}, sessionId = this.sessionId): Stream {
    const fail = (error: unknown, method: string) => this.failed(error, method);
    const policy = this.policy && { policy: this.policy };
    return new Stream(this.client, this.deadline, fail, { result: { ...call }, sessionId, ...policy });
  }

  /**
   * The original that a marker's handle names, or lines of it (`[first, last]`, from 1); `undefined` if it
   * cannot be read. All pages are read. Suitable for a tool that the model may call.
   */
  async read(
    id: string,
    options: { lines?: [number, number][] | undefined; sessionId?: string | undefined } = {},
  ): Promise<string | undefined> {
    const { lines, sessionId = this.sessionId } = options;
    const pages: Buffer[] = [];
    try {
      for (let cursor: string | undefined; ; ) {
        const params = { id, lines, sessionId, cursor };
        const page = await this.client.artifactRead(params, { timeout: this.deadline });
        pages.push(Buffer.from(page.text, page.encoding === "base64" ? "base64" : "utf8"));
        cursor = page.nextCursor ?? undefined;
        if (cursor === undefined) return Buffer.concat(pages).toString("utf8");
      }
    } catch (error) {
      this.failed(error, "artifact/read");
      return undefined;
    }
  }

  /**
   * Lines of an original that match, with their numbers and lines around them; at most 50 matches.
   * `undefined` if it cannot be searched.
   */
  async search(
    id: string,
    pattern: string,
    options: { fixed?: boolean | undefined; context?: number | undefined; sessionId?: string | undefined } = {},
  ): Promise<[number, string][] | undefined> {
    const { sessionId = this.sessionId, ...rest } = options;
    try {
      const params = { id, pattern, sessionId, ...rest };
      const { matches } = await this.client.artifactSearch(params, { timeout: this.deadline });
      const lines = new Map<number, string>();
      for (const match of matches) {
        for (const { line, text } of [...match.before, ...match.after]) {
          if (!lines.has(line)) lines.set(line, text);
        }
        lines.set(match.line, match.text);
      }
      return [...lines].sort(([a], [b]) => a - b);
    } catch (error) {
      this.failed(error, "artifact/search");
      return undefined;
    }
  }

  /** The originals that can be read back, newest first; `undefined` if that is unknown. */
  async list(sessionId = this.sessionId): Promise<Listed[] | undefined> {
    const found: Listed[] = [];
    try {
      for (let cursor: string | undefined; ; ) {
        const page = await this.client.artifactList({ sessionId, cursor }, { timeout: this.deadline });
        found.push(...page.artifacts);
        cursor = page.nextCursor ?? undefined;
        if (cursor === undefined) return found;
      }
    } catch (error) {
      this.failed(error, "artifact/list");
      return undefined;
    }
  }

  /** Totals of the session: what was saved, by tool and reducer; `undefined` if there are none. */
  async stats(sessionId = this.sessionId): Promise<Stats | undefined> {
    if (sessionId === undefined) return undefined;
    try {
      const totals = await this.client.sessionStats({ sessionId }, { timeout: this.deadline });
      if (typeof totals.total !== "object") throw new TersedError("the server answered without totals");
      return totals;
    } catch (error) {
      this.failed(error, "session/stats");
      return undefined;
    }
  }

  /** Ends the conversation: its memory and its originals are dropped. The server keeps running. */
  async closeSession(sessionId = this.sessionId): Promise<void> {
    if (sessionId === undefined) return;
    try {
      await this.client.sessionClose({ sessionId }, { timeout: this.deadline });
    } catch (error) {
      this.failed(error, "session/close");
    }
  }

  /** Reports that results left the model's context, so that nothing refers to them any more. */
  async evicted(toolCallIds: string[], sessionId = this.sessionId): Promise<void> {
    if (sessionId === undefined) return;
    try {
      await this.client.sessionEvicted({ sessionId, toolCallIds });
    } catch (error) {
      this.failed(error, "session/evicted");
    }
  }

  /**
   * Reports that the conversation was summarized, shortened, cleared or resumed: only the results of the calls in
   * `visible` are still in the model's context.
   */
  async compacted(visible: string[] = [], sessionId = this.sessionId): Promise<void> {
    if (sessionId === undefined) return;
    try {
      await this.client.sessionCompacted({ sessionId, visible });
    } catch (error) {
      this.failed(error, "session/compacted");
    }
  }

  /**
   * Starts a session with all results that are visible in this one, for a forked conversation. With `visible` the
   * new context shows only the results of these calls. False if the new session could not be started or already
   * existed: then the two do not share references.
   */
  async fork(newSessionId: string, visible?: string[], sessionId = this.sessionId): Promise<boolean> {
    if (sessionId === undefined) return false;
    try {
      const params = { sessionId, newSessionId, ...(visible && { visible }) };
      const forked = await this.client.sessionFork(params, { timeout: this.deadline });
      return forked.created;
    } catch (error) {
      this.failed(error, "session/fork");
      return false;
    }
  }

  /**
   * The stand-ins for results that are no longer needed, by call. `answers` are the model's answers since the last
   * time. Call this before every request to the model, for the first time before the first result. The stand-ins are
   * remembered as shown: use all of them. Empty if nothing pays, and after a failure.
   */
  async reclaim(
    answers?: ModelAnswer[],
    { context, terms, sessionId = this.sessionId }: ReclaimOptions = {},
  ): Promise<Map<string, string>> {
    if (sessionId === undefined) return new Map();
    try {
      const params = {
        sessionId,
        ...(answers && { answers }),
        ...(context && { context }),
        ...(terms && { reclaimTerms: terms }),
        ...(this.policy && { policy: this.policy }),
      };
      const offer = await this.client.sessionReclaim(params, { timeout: this.deadline });
      if (offer.batch === undefined || offer.batch === null) return new Map();
      await this.client.sessionReclaimed({ sessionId, batch: offer.batch }, { timeout: this.deadline });
      return new Map(offer.replacements.map((one) => [one.toolCallId, one.content]));
    } catch (error) {
      this.failed(error, "session/reclaim");
      return new Map();
    }
  }

  /** Ends the server. Later calls return the original. */
  async close(): Promise<void> {
    await this.client.close();
  }

  private failed(error: unknown, method: string): Failure {
    if (error instanceof RedactionFailed) throw error;
    const reason =
      error instanceof TersedError ? error.reason : error instanceof TypeError ? "unserializable" : "error";
    const failure = { reason, method, error };
    if (error instanceof BinaryNotFound && !isWarned) {
      isWarned = true;
      process.emitWarning(`nothing is compressed: ${error.message}`, "TersedWarning");
    }
    try {
      this.onFailure?.(failure);
    } catch {
      // A callback that throws changes nothing.
    }
    return failure;
  }
}

/** Whether the missing program was already reported; this is done once. */
let isWarned = false;

/** The content of one result of a batch. */
function contentOf(item: BatchItem | undefined): string | unknown[] {
  if (item === undefined) return "";
  return "result" in item ? item.result.content : item.content;
}

function outcome<T>(answer: Compressed, original: T): Outcome<T> {
  return {
    content: checked(answer.content, original),
    evidence: answer.evidence ?? undefined,
    artifact: answer.artifact ?? undefined,
  };
}

/** The content, if it has the shape of the original. */
export function checked<T>(content: unknown, original: T): T {
  const fits =
    typeof content === typeof original &&
    content !== null &&
    Array.isArray(content) === Array.isArray(original) &&
    (!Array.isArray(content) || content.length === (original as unknown[]).length);
  if (!fits) throw new TersedError("the server answered with a content of another shape");
  return content as T;
}

