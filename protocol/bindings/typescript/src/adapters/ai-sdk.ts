/**
 * The AI SDK (`ai`): tool results are compressed before the model sees them.
 *
 * `compressTools` compresses the results of the given tools for the model; the application still gets each
 * tool's own output. `compressionMiddleware` does so for every tool of a model, including failed results and tools
 * of MCP servers. `compressHistory` works on the whole conversation before each step, so that results
 * which are no longer needed are removed. Use one of them.
 */

import { randomUUID } from "node:crypto";

import type { LanguageModelMiddleware, ModelMessage, ToolSet } from "ai";

import { type CompressOptions, Compressor } from "../compressor.js";
import type { Evidence } from "../protocol.js";
import { type Result, type Turn, History } from "./history.js";
import { shapeOf } from "./shape.js";

/** The compressor, its session, and the tools to leave out. */
export interface CompressionOptions {
  compressor: Compressor;
  /** The conversation; by default that of the compressor. */
  sessionId?: string | undefined;
  /** Names of tools whose results are not changed. */
  exclude?: readonly string[] | undefined;
}

/** The form in which the AI SDK passes a result to a model, in all its versions. */
interface ModelOutput {
  type: string;
  value?: unknown;
}

type Execution = { toolCallId: string; input: unknown; output: unknown };
type About = { toolCallId: string; messages?: readonly Message[] };
type Execute = (input: unknown, about: About) => unknown;
/** The members of a message of the AI SDK that name calls. */
type Message = { content: unknown };
type ToModelOutput = (execution: Execution) => ModelOutput | PromiseLike<ModelOutput>;

/** The same tools, with compressed results for the model. */
export function compressTools<T extends ToolSet>(tools: T, options: CompressionOptions): T {
  const wrapped: [string, unknown][] = Object.entries(tools).map(([name, tool]) => {
    if (options.exclude?.includes(name)) return [name, tool];
    const own = tool.toModelOutput as ToModelOutput | undefined;
    // The calls that the model saw when it made a call; the result may refer only to these. A call that was not
    // executed here may refer to none.
    const seen = new Map<string, Set<string>>();
    const execute = tool.execute as Execute | undefined;
    const watched = execute && {
      execute(this: unknown, input: unknown, about: About) {
        seen.set(about.toolCallId, callsIn(about.messages));
        return execute.call(tool, input, about);
      },
    };
    const toModelOutput = async (execution: Execution) => {
      const { toolCallId } = execution;
      const output = own ? await own.call(tool, execution) : plain(execution.output);
      const call = { tool: name, toolCallId, arguments: execution.input };
      return compressOutput(output, call, options, seen.get(toolCallId) ?? new Set());
    };
    return [name, { ...tool, ...watched, toModelOutput }];
  });
  return Object.fromEntries(wrapped) as T;
}

/** A middleware for `wrapLanguageModel` that compresses the results in every prompt. */
export function compressionMiddleware(options: CompressionOptions): LanguageModelMiddleware {
  return {
    transformParams: async ({ params }) => {
      const inputs = new Map<string, unknown>();
      const visible = callsIn(params.prompt);
      const prompt = [];
      for (const message of params.prompt) {
        if (message.role === "assistant") {
          for (const part of message.content) {
            if (part.type === "tool-call") inputs.set(part.toolCallId, part.input);
          }
        }
        if (message.role !== "tool") {
          prompt.push(message);
          continue;
        }
        const content = [];
        for (const part of message.content) {
          if (part.type !== "tool-result" || options.exclude?.includes(part.toolName)) {
            content.push(part);
            continue;
          }
          const { toolName: tool, toolCallId } = part;
          const call = { tool, toolCallId, arguments: inputs.get(toolCallId) };
          const output = await compressOutput(part.output, call, options, visible);
          content.push({ ...part, output });
        }
        prompt.push({ ...message, content });
      }
      return { ...params, prompt };
    },
  };
}

/** The compressor, its session, and another `prepareStep`. */
export interface HistoryOptions extends CompressionOptions {
  /** Another `prepareStep` to run before. It gets the original options; its answer is merged with the messages. */
  prepareStep?: ((options: never) => unknown) | undefined;
}

/**
 * A `prepareStep` that gives the model a compressed conversation; the results of the steps keep the originals. Make one
 * for each conversation.
 */
export function compressHistory(options: HistoryOptions) {
  const { compressor, exclude = [] } = options;
  const sessionId = options.sessionId ?? compressor.sessionId ?? `ai-sdk-${randomUUID()}`;
  const history = new History();
  // A step gets the messages of the step before. So the original and the compressed form of each result are remembered.
  const known = new Map<string, { given: ModelOutput; shown: string }>();
  return async ({ messages, ...more }: { messages: ModelMessage[] }): Promise<{ messages: ModelMessage[] }> => {
    const own = (await options.prepareStep?.({ messages, ...more } as never)) as { messages?: ModelMessage[] } | undefined;
    const given = withOutputs(own?.messages ?? messages, (part) => {
      const last = known.get(part.toolCallId);
      return last?.shown === JSON.stringify(part.output) ? last.given : part.output;
    });
    const turns = turnsOf(given, exclude);
    const results = turns.flatMap((turn) => turn.results);
    if (results.length === 0) return { ...own, messages: given };
    const contents = await history.contents(compressor, sessionId, turns);
    const texts = new Map(results.map((result, n) => [result.toolCallId, contents[n]]));
    const seen = withOutputs(given, (part) => {
      const content = texts.get(part.toolCallId);
      const shape = content === undefined ? undefined : shapeOf(part.output.value);
      if (!shape) return part.output;
      const output = { ...part.output, value: shape.rebuild(content) };
      known.set(part.toolCallId, { given: part.output, shown: JSON.stringify(output) });
      return output;
    });
    return { ...own, messages: seen };
  };
}

/** A part of a message that is a result. */
type ResultPart = { type: string; toolCallId: string; toolName: string; output: ModelOutput };

const isResult = (part: unknown): part is ResultPart => (part as ResultPart | null)?.type === "tool-result";

/** Copies of the messages with other outputs. */
function withOutputs(messages: readonly ModelMessage[], output: (part: ResultPart) => ModelOutput): ModelMessage[] {
  return messages.map((message) => {
    if (message.role !== "tool") return message;
    const content = (message.content as unknown[]).map((part) =>
      isResult(part) ? { ...part, output: output(part) } : part,
    );
    return { ...message, content } as ModelMessage;
  });
}

/** A conversation as answers of the model, each with the results of its calls. */
function turnsOf(messages: readonly ModelMessage[], exclude: readonly string[]): Turn[] {
  const turns: Turn[] = [{ said: "", results: [] }];
  const inputs = new Map<string, unknown>();
  for (const { role, content } of messages) {
    const parts: readonly unknown[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    if (role === "assistant") {
      const texts = parts.map((part) => ((part as { type: string }).type === "text" ? (part as { text: string }).text : ""));
      turns.push({ said: texts.join(""), results: [] });
      for (const part of parts as { type: string; toolCallId: string; input: unknown }[]) {
        if (part.type === "tool-call") inputs.set(part.toolCallId, part.input);
      }
    }
    if (role !== "tool") continue;
    for (const part of parts) {
      if (!isResult(part) || exclude.includes(part.toolName)) continue;
      const shape = shapeOf(part.output.value);
      if (!shape) continue;
      const result: Result = {
        toolCallId: part.toolCallId,
        tool: part.toolName,
        arguments: inputs.get(part.toolCallId),
        content: shape.content,
        exitCode: shape.exitCode,
        isError: part.output.type.startsWith("error-"),
      };
      turns.at(-1)?.results.push(result);
    }
  }
  return turns;
}

/** The calls in these messages, whose results the model sees. */
function callsIn(messages: readonly Message[] = []): Set<string> {
  const found = new Set<string>();
  for (const { content } of messages) {
    for (const part of Array.isArray(content) ? content : []) {
      if (typeof part?.toolCallId === "string") found.add(part.toolCallId);
    }
  }
  return found;
}

/** Whether a result refers to a call that is not visible. */
function pointsElsewhere({ content, evidence }: { content: unknown; evidence?: Evidence | undefined }, visible: Set<string>): boolean {
  // Without evidence, anything that looks like a reference may be one.
  if (!evidence) return /\[Duplicate of | as in /.test(JSON.stringify(content) ?? "");
  const calls = (evidence.omissions ?? []).map((omission) => omission.shownBy?.toolCallId);
  return [...calls, evidence.duplicateOf].some((call) => typeof call === "string" && !visible.has(call));
}

/** The form that the SDK gives an output by default. */
function plain(output: unknown): ModelOutput {
  return typeof output === "string"
    ? { type: "text", value: output }
    : { type: "json", value: output ?? null };
}

/** The output with compressed texts. It keeps its type, except if JSON became a text. */
async function compressOutput<T extends ModelOutput>(
  output: T,
  call: CompressOptions,
  { compressor, sessionId }: CompressionOptions,
  visible: Set<string>,
): Promise<T> {
  const known = new Set(visible).add(call.toolCallId ?? "");
  const compress = async <C extends string | unknown[]>(content: C, more: CompressOptions) => {
    const outcome = await compressor.compress(content, more);
    if (outcome.failure || !pointsElsewhere(outcome, known)) return outcome;
    // The result refers to another agent or conversation: compress it again, without a call id.
    return compressor.compress(content, { ...more, toolCallId: undefined });
  };
  const { type, value } = output;
  const isError = type.startsWith("error-") ? true : undefined;
  const shape = shapeOf(value);
  if (shape) {
    const { content, exitCode } = shape;
    const outcome = await compress(content, { ...call, exitCode, isError, sessionId });
    return outcome.failure ? output : { ...output, value: shape.rebuild(outcome.content) };
  }
  if (type !== "json" && type !== "error-json") return output;
  const text = JSON.stringify(value);
  if (text === undefined) return output;
  const outcome = await compress(text, { ...call, isError, sessionId });
  if (outcome.content === text) return output;
  return { ...output, ...parsed(outcome.content, type) };
}

/** A text as JSON if it still is, else as a text. */
function parsed(text: string, type: string): ModelOutput {
  try {
    return { type, value: JSON.parse(text) };
  } catch {
    return { type: type.replace("json", "text"), value: text };
  }
}
