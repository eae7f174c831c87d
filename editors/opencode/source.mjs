// OpenCode and Kilo: gives what a tool returned to tersed before the model sees it.

import { EXPAND, Tersed, linesOf } from "../shared/client.mjs";

/** OpenCode calls every export of a plugin file, so this is the only one. */
export const TersedPlugin = async (_input, options = {}) => {
  const tersed = new Tersed({ ...options, policy: { expandTool: true, ...options.policy } });
  return {
    "tool.execute.after": async (input, output) => {
      if (input.tool === EXPAND.name || !output) return;
      // Tools of MCP servers have `content`, an array of parts; all others have `output`, a text.
      const parts = Array.isArray(output.content);
      const answer = await tersed.compress(input.sessionID, {
        toolCallId: input.callID,
        tool: input.tool,
        arguments: input.args,
        exitCode: Number.isInteger(output.metadata?.exit) ? output.metadata.exit : undefined,
        isError: typeof output.isError === "boolean" ? output.isError : undefined,
        content: parts ? output.content : output.output,
      });
      if (!answer) return;
      if (parts) output.content = answer.content;
      else output.output = answer.content;
    },

    event: async ({ event } = {}) => {
      const { sessionID, part, info } = event?.properties ?? {};
      switch (event?.type) {
        case "message.part.updated":
          // OpenCode clears old results one by one, and marks them so.
          if (part?.type === "tool" && part.state?.time?.compacted) {
            tersed.evicted(part.sessionID, { toolCallIds: [part.callID] });
          }
          break;
        case "session.compacted":
        case "message.removed":
        case "message.part.removed":
          tersed.evicted(sessionID, { visible: [] });
          break;
        case "session.deleted":
          if (tersed.running) await tersed.request("session/close", { sessionId: info?.id ?? sessionID });
          break;
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
