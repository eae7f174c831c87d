// GitHub Copilot CLI: passes tool results to tersed before the model sees them.

import { joinSession } from "@github/copilot-sdk/extension";
import { EXPAND, Tersed, linesOf } from "../shared/client.mjs";

// The line that Copilot writes below the output of a finished command. It has another number each time, and is kept.
const ENDED = /(?:^|\n)<[^<>\n]* with exit code (-?\d+)>\s*$/;

const tersed = new Tersed({ policy: { expandTool: true, idsVisible: false } });

// Calls that run, by id, with the call that started the agent which made them. Copilot gives a hook no id, and without
// one no later result can refer to this one.
const running = new Map();
// Sessions of agents, in addition to that of the conversation: they see other results.
const agents = new Set();

const sameCall = (name, args) => `${name} ${JSON.stringify(args)}`;

function callOf({ toolName, toolArgs }) {
  const call = sameCall(toolName, toolArgs);
  const found = [...running].filter(([, other]) => other.call === call);
  return found.length === 1 ? { id: found[0][0], agent: found[0][1].agent } : undefined;
}

function contextOf(sessionId, agent) {
  if (!agent) return sessionId;
  const context = `${sessionId}/${agent}`;
  agents.add(context);
  return context;
}

const session = await joinSession({
  hooks: {
    onPostToolUse: async (input) => {
      const { toolName, toolArgs, toolResult } = input;
      const text = toolResult?.textResultForLlm;
      if (toolName === EXPAND.name || typeof text !== "string") return;
      const ended = ENDED.exec(text.slice(-200));
      const output = ended ? text.slice(0, text.length - ended[0].length) : text;
      const call = callOf(input);
      const answer = await tersed.compress(contextOf(input.sessionId, call?.agent), {
        toolCallId: call?.id,
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
      handler: (args, invocation) => tersed.read([invocation?.sessionId, ...agents], args.id, linesOf(args)),
    },
  ],
});

session.on("tool.execution_start", ({ data }) => 
  running.set(data.toolCallId, { call: sameCall(data.toolName, data.arguments), agent: data.parentToolCallId ?? data.agentId }),
);
session.on("tool.execution_complete", ({ data }) => running.delete(data.toolCallId));
// Not every event names its context.
for (const moved of [
  "session.compaction_complete",
  "session.truncation",
  "session.snapshot_rewind",
  "session.resume",
  "session.handoff",
]) {
  session.on(moved, () => [session.sessionId, ...agents].forEach((context) => tersed.compacted(context)));
}
