// GitHub Copilot CLI: gives what a tool returned to tersed before the model sees it.

import { joinSession } from "@github/copilot-sdk/extension";
import { EXPAND, Tersed, linesOf } from "../shared/client.mjs";

// What Copilot writes below the output of a command that ended. It has a number of its own each time, and stays.
const ENDED = /(?:^|\n)<[^<>\n]* with exit code (-?\d+)>\s*$/;

const tersed = new Tersed({ policy: { expandTool: true } });

// Calls that run, by id. Copilot tells a hook no id, and without one no later result can refer to this one.
const running = new Map();

const sameCall = (name, args) => `${name} ${JSON.stringify(args)}`;

function callId({ toolName, toolArgs }) {
  const call = sameCall(toolName, toolArgs);
  const ids = [...running].filter(([, other]) => other === call).map(([id]) => id);
  return ids.length === 1 ? ids[0] : undefined;
}

const session = await joinSession({
  hooks: {
    onPostToolUse: async (input) => {
      const { toolName, toolArgs, toolResult } = input;
      const text = toolResult?.textResultForLlm;
      if (toolName === EXPAND.name || typeof text !== "string") return;
      const ended = ENDED.exec(text.slice(-200));
      const output = ended ? text.slice(0, text.length - ended[0].length) : text;
      const answer = await tersed.compress(input.sessionId, {
        toolCallId: callId(input),
        tool: toolName,
        arguments: toolArgs,
        isError: toolResult.resultType !== "success" || (ended !== null && ended[1] !== "0"),
        content: output,
      });
      if (!answer || answer.content === output) return;
      return { modifiedResult: { ...toolResult, textResultForLlm: answer.content + (ended?.[0] ?? "") } };
    },
  },
  tools: [
    {
      ...EXPAND,
      skipPermission: true,
      handler: (args, invocation) => tersed.read(invocation?.sessionId, args.id, linesOf(args)),
    },
  ],
});

session.on("tool.execution_start", ({ data }) => running.set(data.toolCallId, sameCall(data.toolName, data.arguments)));
session.on("tool.execution_complete", ({ data }) => running.delete(data.toolCallId));
for (const moved of ["session.compaction_complete", "session.truncation", "session.snapshot_rewind"]) {
  session.on(moved, () => tersed.evicted(session.sessionId, { visible: [] }));
}
