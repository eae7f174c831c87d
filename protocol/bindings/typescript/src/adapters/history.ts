/**
 * A whole conversation, as a framework shows it before each call of the model. The conversation itself keeps what
 * the tools gave; only the request holds less. What is not needed any more leaves it. Without an answer of the
 * server each result has the text that the model saw last, so that the provider's cache holds.
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

/** What the model said, and the results of the calls that it made. */
export interface Turn {
  said: string;
  results: Result[];
}

/** What stands in a text that was worked on before: it may point at other results, which then have to stay. */
const WORKED_ON = /\[tersed[:#]|\[Duplicate of |\[EXTERNALIZED: /;

type Block = { type: string; tool_use_id?: string; content?: unknown; text?: string; id?: string; name?: string; input?: unknown };
type BodyMessage = { role: string; content: Block[] };

/** What was made of one conversation. */
export class History {
  private reclaims: boolean | undefined;
  private shown = new Map<string, { digest: string; content: Result["content"] }>();

  /** The contents of all results, in order, in the shapes in which they were given. */
  async contents(compressor: Compressor, sessionId: string, turns: readonly Turn[]): Promise<Result["content"][]> {
    const results = turns.flatMap((turn) => turn.results);
    // Decided once: what left must not come back.
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

/** A turn as messages of a request. An exit code stands beside the text, where the server looks for it. */
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

/** What the answer holds in their places; `undefined` where it is another conversation. */
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

/** The output beside its exit code. What left has no code beside it any more. */
function outputOf(content: unknown): unknown {
  try {
    const { output } = JSON.parse(content as string) as { output?: unknown };
    return typeof output === "string" ? output : content;
  } catch {
    return content;
  }
}
