// pi: gives what a tool returned to tersed before the model sees it.

import { EXPAND, Tersed, exitCodeAtEnd, linesOf } from "../shared/client.mjs";

// What pi's bash tool writes below the output of a command that failed.
const EXITED = /(?:^|\n)Command exited with code (-?\d+)\s*$/;

export default function tersedExtension(pi) {
  const tersed = new Tersed({ policy: { expandTool: true, idsVisible: false } });
  const session = (ctx) => ctx?.sessionManager?.getSessionId?.();

  pi.on("tool_result", async (event, ctx) => {
    if (event.toolName === EXPAND.name) return;
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
    // Only the content: `details` are for the screen, and whether the call failed is the host's to say.
    return answer ? { content: answer.content } : undefined;
  });

  // What was summarized, or lies on another branch, is not in the context any more; what was resumed or forked may
  // begin earlier than what was given here.
  for (const moved of ["session_compact", "session_tree", "session_start", "session_switch", "session_fork"]) {
    pi.on(moved, (_event, ctx) => tersed.compacted(session(ctx)));
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

function exitCodeOf({ content, isError }) {
  const last = content?.at?.(-1);
  const found = last?.type === "text" ? exitCodeAtEnd(last.text, EXITED) : undefined;
  return found ?? (isError ? undefined : 0);
}
