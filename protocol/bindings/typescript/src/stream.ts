/** Streams for the output of running commands. They fail open. */

import type { Client } from "./client.js";
import { TersedError } from "./errors.js";
import type { Failure, Outcome } from "./outcome.js";
import type { Compressed, StreamName, StreamOpenParams } from "./protocol.js";

/** The content of a stream: a string, or one part for each name. */
export type StreamContent = string | { type: "text"; text: string }[];

/** A stream of a `Compressor`: `append` what the command writes, then `close` or `discard`. */
export class Stream {
  private readonly pieces = new Map<StreamName, string[]>();
  private id: string | undefined;
  private failure: Failure | undefined;
  private isOver = false;
  /** Requests are sent one after the other, even if calls overlap. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly timeout: number,
    private readonly fail: (error: unknown, method: string) => Failure,
    private readonly params: StreamOpenParams,
  ) {}

  /** Adds a piece of the output, which may end anywhere. */
  append(text: string, stream: StreamName = "none"): Promise<void> {
    const pieces = this.pieces.get(stream) ?? [];
    this.pieces.set(stream, pieces);
    pieces.push(text);
    return this.next("toolResult/append", async () => {
      const options = { timeout: this.timeout };
      this.id ??= await this.open();
      const named = stream === "none" ? {} : { stream };
      await this.client.toolResultAppend({ streamId: this.id, text, ...named }, options);
    });
  }

  /** The result as if the command ended now. */
  async peek(): Promise<Outcome<StreamContent>> {
    return this.answer("toolResult/peek", (streamId) =>
      this.client.toolResultPeek({ streamId }, { timeout: this.timeout }),
    );
  }

  /** Ends the stream; returns the compressed result, or the whole original. */
  async close(
    end: { exitCode?: number | undefined; isError?: boolean | undefined } = {},
  ): Promise<Outcome<StreamContent>> {
    this.isOver = true;
    return this.answer("toolResult/close", (streamId) =>
      this.client.toolResultClose({ streamId, ...end }, { timeout: this.timeout }),
    );
  }

  /** `await using`: a block that ends without `close` discards the stream. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isOver) await this.discard();
  }

  /** Ends the stream without a result. */
  async discard(): Promise<void> {
    this.isOver = true;
    await this.next("toolResult/discard", async () => {
      if (this.id === undefined) return;
      await this.client.toolResultDiscard({ streamId: this.id }, { timeout: this.timeout });
    });
  }

  /** The whole text so far. */
  original(): StreamContent {
    const names = (["none", "stdout", "stderr"] as const).filter((name) => this.pieces.has(name));
    const text = (name: StreamName) => (this.pieces.get(name) ?? []).join("");
    if (names.every((name) => name === "none")) return text("none");
    return names.map((name) => ({ type: "text", text: text(name) }));
  }

  private async open(): Promise<string> {
    const { streamId } = await this.client.toolResultOpen(this.params, { timeout: this.timeout });
    if (typeof streamId !== "string") throw new TersedError("the server opened no stream");
    return streamId;
  }

  private async answer(
    method: string,
    ask: (streamId: string) => Promise<Compressed>,
  ): Promise<Outcome<StreamContent>> {
    let outcome: Outcome<StreamContent> | undefined;
    await this.next(method, async () => {
      if (this.id === undefined) return;
      const { content, evidence, artifact } = await ask(this.id);
      if (typeof content !== "string" && !Array.isArray(content)) {
        throw new TersedError("the server answered with a content of another shape");
      }
      const kept = content as StreamContent;
      outcome = { content: kept, evidence: evidence ?? undefined, artifact: artifact ?? undefined };
    });
    return outcome ?? { content: this.original(), failure: this.failure };
  }

  /** After a failure the server is not asked again. */
  private next(method: string, work: () => Promise<void>): Promise<void> {
    const turn = this.last.then(async () => {
      if (this.failure) return;
      try {
        await work();
      } catch (error) {
        this.failure = this.fail(error, method);
      }
    });
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
