// OpenCode and Kilo: passes tool results to tersed before the model sees them.

import { EXPAND, Tersed, linesOf } from "../shared/client.mjs";

// The part of an MCP server's result that OpenCode keeps. Its own tools cut their results before the plugins run.
const CUT = { lines: 2000, bytes: 50 * 1024 };

/** The results in a message of the model that OpenCode passes on to it, each with its part. */
function resultsOf(parts) {
  const results = [];
  for (const part of parts) {
    const { status, input, output, error, metadata, time } = part.state ?? {};
    const content = status === "completed" ? output : status === "error" ? error : undefined;
    // OpenCode only marks results that it has cleared.
    if (part.type !== "tool" || typeof content !== "string" || content === "" || time?.compacted) continue;
    const exitCode = Number.isInteger(metadata?.exit) ? metadata.exit : undefined;
    results.push({ part, toolCallId: part.callID, tool: part.tool, arguments: input, exitCode, isError: status === "error", content });
  }
  return results;
}

/** A message with other texts as results. */
function withTexts(message, texts) {
  const parts = message.parts.map((part) => {
    const text = texts.get(part);
    if (text === undefined) return part;
    return { ...part, state: { ...part.state, [part.state.status === "error" ? "error" : "output"]: text } };
  });
  return { ...message, parts };
}

/** OpenCode calls every export of a plugin file, so this is the only one. */
export const TersedPlugin = async (_input, options = {}) => {
  const tersed = new Tersed({ ...options, policy: { expandTool: true, idsVisible: false, ...options.policy } });
  // Calls as parts of messages, by the id of the part, which events use for removed parts.
  const calls = new Map();
  // Whether OpenCode passes whole conversations to plugins. Then results are unchanged until then.
  let givesHistories = false;
  // A whole conversation shows itself which results are missing.
  const evict = (sessionID, gone) => {
    const found = [...calls.values()].filter((call) => call.sessionID === sessionID && gone(call));
    for (const call of found) calls.delete(call.id);
    if (found.length && !givesHistories) tersed.evicted(sessionID, { toolCallIds: found.map((call) => call.callID) });
  };
  return {
    "tool.execute.after": async (input, output) => {
      if (givesHistories || input.tool === EXPAND.name || !output) return;
      // Tools of MCP servers have `content`, an array of parts; all others have `output`, a text.
      const parts = Array.isArray(output.content);
      const given = {
        toolCallId: input.callID,
        tool: input.tool,
        arguments: input.args,
        exitCode: Number.isInteger(output.metadata?.exit) ? output.metadata.exit : undefined,
        isError: typeof output.isError === "boolean" ? output.isError : undefined,
        content: parts ? output.content : output.output,
      };
      const answer = await tersed.compress(input.sessionID, given, parts ? { hostCut: CUT } : {});
      if (!answer) return;
      if (parts) output.content = answer.content;
      else output.output = answer.content;
    },

    // Before each request: the messages are only those of this request; the stored ones do not change.
    "experimental.chat.messages.transform": async (_input, output) => {
      const messages = output?.messages;
      if (options.history === false || !Array.isArray(messages)) return;
      givesHistories = true;
      const turns = messages.map(({ info, parts }) => ({
        said: info?.role === "assistant" ? parts.filter((part) => part.type === "text").map((part) => part.text).join("\n") : "",
        results: resultsOf(parts ?? []),
      }));
      const results = turns.flatMap((turn) => turn.results);
      if (!results.length) return;
      const contents = await tersed.history(messages[0].info?.sessionID, turns);
      const texts = new Map(results.map((result, i) => [result.part, contents[i]]));
      messages.forEach((message, i) => (messages[i] = withTexts(message, texts)));
    },

    event: async ({ event } = {}) => {
      const { sessionID, messageID, partID, part, info } = event?.properties ?? {};
      switch (event?.type) {
        case "message.part.updated":
          if (part?.type !== "tool") break;
          calls.set(part.id, { id: part.id, messageID: part.messageID, sessionID: part.sessionID, callID: part.callID });
          // OpenCode clears old results one by one, and marks them so.
          if (part.state?.time?.compacted && !givesHistories) tersed.evicted(part.sessionID, { toolCallIds: [part.callID] });
          break;
        case "message.part.removed":
          evict(sessionID, (call) => call.id === partID);
          break;
        case "message.removed":
          evict(sessionID, (call) => call.messageID === messageID);
          break;
        case "session.compacted":
          if (!givesHistories) tersed.compacted(sessionID);
          break;
        case "session.deleted": {
          const id = info?.id ?? sessionID;
          for (const call of calls.values()) if (call.sessionID === id) calls.delete(call.id);
          if (tersed.running) await tersed.request("session/close", { sessionId: id });
          break;
        }
      }
    },

    tool: {
      [EXPAND.name]: {
        description: EXPAND.description,
        args: EXPAND.parameters.properties,
        execute: (args, context) => tersed.read(context.sessionID, args.id, linesOf(args)),
      },
    },

    dispose: async () => tersed.close(),
  };
};
