// pi: passes tool results to tersed before the model sees them.

import { EXPAND, Tersed, exitCodeAtEnd, linesOf } from "../shared/client.mjs";

// The text that pi's bash tool writes below the output of a failed command.
const EXITED = /(?:^|\n)Command exited with code (-?\d+)\s*$/;

export default function tersedExtension(pi) {
  const tersed = new Tersed({ policy: { expandTool: true, idsVisible: false } });
  const session = (ctx) => ctx?.sessionManager?.getSessionId?.();

  // Whether pi passes whole conversations to plugins. Then results are unchanged until then.
  let givesHistories = false;

  pi.on("tool_result", async (event, ctx) => {
    if (givesHistories || event.toolName === EXPAND.name) return;
    const answer = await tersed.compress(
      session(ctx),
      {
        toolCallId: event.toolCallId,
        tool: event.toolName,
        arguments: event.input,
        exitCode: event.toolName === "bash" ? exitCodeOf(event) : undefined,
        isError: event.isError,
        content: event.content,
      },
      { signal: ctx?.signal },
    );
    // Only the content: `details` are for the screen, and the host decides whether the call failed.
    return answer ? { content: answer.content } : undefined;
  });

  // Before each request: the messages are copies for this request; the stored ones do not change.
  pi.on("context", async ({ messages }, ctx) => {
    if (!Array.isArray(messages)) return;
    givesHistories = true;
    const turns = turnsOf(messages);
    const results = turns.flatMap((turn) => turn.results);
    if (!results.length) return;
    const contents = await tersed.history(session(ctx), turns, { signal: ctx?.signal });
    const texts = new Map(results.map((result, i) => [result.message, contents[i]]));
    return { messages: messages.map((message) => (texts.has(message) ? withTexts(message, texts.get(message)) : message)) };
  });

  // Results that were summarized, or that are on another branch, are no longer in the context. A resumed or forked
  // conversation may start earlier than the results that were sent here. A whole conversation shows this itself.
  for (const moved of ["session_compact", "session_tree", "session_start", "session_switch", "session_fork"]) {
    pi.on(moved, (_event, ctx) => void (givesHistories || tersed.compacted(session(ctx))));
  }
  pi.on("session_shutdown", () => tersed.close());

  pi.registerTool({
    name: EXPAND.name,
    label: "Expand",
    description: EXPAND.description,
    parameters: EXPAND.parameters,
    async execute(_id, args, _signal, _onUpdate, ctx) {
      const text = await tersed.read(session(ctx), args.id, linesOf(args));
      return { content: [{ type: "text", text }], details: {} };
    },
  });
}

/** A conversation as answers of the model, each with the results of its calls. */
function turnsOf(messages) {
  const turns = [];
  const calls = new Map();
  for (const message of messages) {
    if (message?.role === "assistant") {
      const parts = Array.isArray(message.content) ? message.content : [];
      for (const part of parts) if (part.type === "toolCall") calls.set(part.id, part.arguments);
      turns.push({ said: parts.filter((part) => part.type === "text").map((part) => part.text).join("\n"), results: [] });
    } else if (message?.role === "toolResult") {
      const { toolCallId, toolName, isError } = message;
      const content = Array.isArray(message.content) ? message.content.filter((part) => part?.type === "text" && part.text) : [];
      if (!content.length) continue;
      const texts = content.map(({ text }) => ({ type: "text", text }));
      if (!turns.length) turns.push({ said: "", results: [] });
      turns.at(-1).results.push({
        message,
        toolCallId,
        tool: toolName,
        arguments: calls.get(toolCallId),
        exitCode: toolName === "bash" ? exitCodeOf({ content, isError }) : undefined,
        isError,
        content: texts.length === 1 ? texts[0].text : texts,
      });
    }
  }
  return turns;
}

/** A result with other texts; pictures are kept. */
function withTexts(message, texts) {
  let next = 0;
  const all = typeof texts === "string" ? [texts] : texts.map((part) => part.text);
  const content = message.content.map((part) => (part?.type === "text" && part.text ? { ...part, text: all[next++] } : part));
  return { ...message, content };
}

function exitCodeOf({ content, isError }) {
  const last = content?.at?.(-1);
  const found = last?.type === "text" ? exitCodeAtEnd(last.text, EXITED) : undefined;
  return found ?? (isError ? undefined : 0);
}
