/**
 * A whole conversation, as a framework passes it before each call of the model. The conversation itself keeps the
 * original results; only the request is compressed. Results that are no longer needed are removed from it. Without
 * an answer of the server each result has the text that the model saw last, so that the provider's cache stays valid.
 */

import { createHash } from "node:crypto";

import type { Compressor } from "../compressor.js";

/** A result in a conversation: a text, or text parts. */
export interface Result {
  toolCallId: string;
  tool: string;
  arguments: unknown;
  content: string | { type: "text"; text: string }[];
  exitCode: number | undefined;
  isError: boolean;
}

/** An answer of the model, and the results of its calls. */
export interface Turn {
  said: string;
  results: Result[];
}

/** Strings in texts that were compressed before. They may refer to other results, which must then be kept. */
const WORKED_ON = /\[tersed[:#]|\[Duplicate of |\[EXTERNALIZED: /;

type Block = { type: string; tool_use_id?: string; content?: unknown; text?: string; id?: string; name?: string; input?: unknown };
type BodyMessage = { role: string; content: Block[] };

/** The texts that the model saw of one conversation. */
export class History {
  private reclaims: boolean | undefined;
  private shown = new Map<string, { digest: string; content: Result["content"] }>();

  /** The contents of all results, in order, in their original shapes. */
  async contents(compressor: Compressor, sessionId: string, turns: readonly Turn[]): Promise<Result["content"][]> {
    const results = turns.flatMap((turn) => turn.results);
    // Decided once, because a removed result must not return.
    this.reclaims ??= !results.some(({ content }) => WORKED_ON.test(JSON.stringify(content)));
    const body = { messages: turns.flatMap(messagesOf) };
    const outcome = await compressor.compressMessages(body, { format: "anthropic", sessionId, reclaim: this.reclaims });
    const made = outcome.failure ? undefined : contentsOf(outcome.content, results);
    const shown = new Map<string, { digest: string; content: Result["content"] }>();
    results.forEach((result, n) => {
      const digest = createHash("sha256").update(JSON.stringify(result.content)).digest("base64");
      const last = this.shown.get(result.toolCallId);
      const kept = last?.digest === digest ? last.content : result.content;
      shown.set(result.toolCallId, { digest, content: made?.[n] ?? kept });
    });
    this.shown = shown;
    return results.map(({ toolCallId, content }) => shown.get(toolCallId)?.content ?? content);
  }
}

/** A turn as messages of a request. An exit code is in JSON beside the text, where the server looks for it. */
function messagesOf({ said, results }: Turn): BodyMessage[] {
  const calls = results.map(({ toolCallId, tool, arguments: input }) => ({
    type: "tool_use",
    id: toolCallId,
    name: tool,
    input: typeof input === "object" && input !== null ? input : {},
  }));
  const blocks = results.map(({ toolCallId, content, exitCode, isError }) => ({
    type: "tool_result",
    tool_use_id: toolCallId,
    ...(isError && { is_error: true }),
    content: inside(content, exitCode) ? JSON.stringify({ exit_code: exitCode, output: content }) : content,
  }));
  const asked: Block[] = [...(said ? [{ type: "text", text: said }] : []), ...calls];
  const messages: BodyMessage[] = asked.length > 0 ? [{ role: "assistant", content: asked }] : [];
  if (blocks.length > 0) messages.push({ role: "user", content: blocks });
  return messages;
}

const inside = (content: unknown, exitCode: number | undefined) => typeof content === "string" && exitCode !== undefined;

/** The contents of these results in the answer; `undefined` if it has other results. */
function contentsOf(body: { messages: BodyMessage[] }, results: readonly Result[]): Result["content"][] | undefined {
  const blocks = body.messages.filter(({ role }) => role === "user").flatMap(({ content }) => content);
  if (blocks.length !== results.length) return undefined;
  const made: Result["content"][] = [];
  for (const [n, result] of results.entries()) {
    const block = blocks[n];
    if (block?.tool_use_id !== result.toolCallId) return undefined;
    const content = inside(result.content, result.exitCode) ? outputOf(block.content) : block.content;
    const isSame = Array.isArray(result.content)
      ? Array.isArray(content) && content.length === result.content.length
      : typeof content === "string";
    if (!isSame) return undefined;
    made.push(content as Result["content"]);
  }
  return made;
}

/** The output without its exit code. A removed result has no exit code. */
function outputOf(content: unknown): unknown {
  try {
    const { output } = JSON.parse(content as string) as { output?: unknown };
    return typeof output === "string" ? output : content;
  } catch {
    return content;
  }
}
