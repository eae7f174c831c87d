// Cline: passes tool results to tersed before the model sees them.

import { EXPAND, Tersed, linesOf } from "../shared/client.mjs";

// Cline ends the whole run if a plugin takes longer than three seconds.
const LONGEST_MS = 2000;
const deadlineMs = Math.min(Number(process.env.TERSED_DEADLINE_MS) || 1500, LONGEST_MS);

const tersed = new Tersed({ deadlineMs, policy: { expandTool: true, idsVisible: false } });

// After the plugins, Cline cuts out the middle of longer results, whatever it contains. A budget in tokens keeps the
// important lines.
const MOST_CHARS = 8000;
const CUT = { budget: { perResult: 1800, total: 0 } };

/** The key of a model's context: an agent of a conversation sees other results than the one that started it. */
const contextOf = (about) => [about?.conversationId, about?.agentId].filter(Boolean).join("/") || undefined;

// Ids of the results that each conversation got, to find those that its model no longer sees.
const results = new Map();

/** Texts inside a result's output, each `{text, set(text)}`, or null if the output has another shape. */
function textsOf(output) {
  if (!Array.isArray(output)) return null;
  const texts = [];
  for (const entry of output) {
    if (entry === null || typeof entry !== "object") return null;
    // Tools of MCP servers return parts; Cline's own tools return one entry for each command, file or search.
    const name = typeof entry.result === "string" ? "result" : entry.type === "text" && typeof entry.text === "string" ? "text" : null;
    if (name) texts.push({ text: entry[name], set: (text) => (entry[name] = text) });
  }
  return texts.length ? texts : null;
}

function exitCodeOf(toolName, output) {
  if (toolName !== "run_commands" || output?.length !== 1) return undefined;
  if (output[0].success === true) return 0;
  const found = /^Command exited with code (-?\d+)/.exec(output[0].error ?? "");
  return found ? Number(found[1]) : undefined;
}

/** The arguments, with their only command or file under the usual name. */
function argumentsOf(input) {
  const only = (list) => (Array.isArray(list) && list.length === 1 ? list[0] : undefined);
  const command = only(input?.commands);
  const path = only(input?.files)?.path;
  return { ...input, ...(typeof command === "string" && { command }), ...(typeof path === "string" && { path }) };
}

/** A copy of the result with compressed texts, or undefined if it is unchanged. */
async function smaller({ snapshot, toolCall, input, result }) {
  const session = contextOf(snapshot);
  const copy = structuredClone(result.output);
  const entries = typeof copy === "object" && Array.isArray(copy?.content) ? copy.content : copy;
  const texts = typeof copy === "string" ? [{ text: copy }] : textsOf(entries);
  if (!texts) return undefined;
  const failed = Array.isArray(entries) && entries.some((entry) => entry.success === false);
  const policy = JSON.stringify(copy).length > MOST_CHARS ? CUT : undefined;
  const given = {
    toolCallId: toolCall.toolCallId,
    tool: toolCall.toolName,
    arguments: argumentsOf(input),
    exitCode: exitCodeOf(toolCall.toolName, entries),
    isError: result.isError === true || failed,
    content: typeof copy === "string" ? copy : texts.map(({ text }) => ({ type: "text", text })),
  };
  // Cline still cuts results that the budget could not bring below its limit.
  const hostCut = { characters: MOST_CHARS, keeps: "ends" };
  const answer = await tersed.compress(session, given, { policy, hostCut });
  if (!answer) return undefined;
  const ids = results.get(session) ?? new Set();
  results.set(session, ids.add(toolCall.toolCallId));
  if (typeof copy === "string") return { ...result, output: answer.content };
  texts.forEach(({ set }, i) => set(answer.content[i].text));
  return { ...result, output: copy };
}

/** Reports the results that the next request leaves out: they were summarized or cut. */
function forget({ snapshot, request }) {
  const session = contextOf(snapshot);
  const ids = results.get(session);
  if (!ids) return;
  const visible = new Set();
  for (const { content } of request?.messages ?? []) {
    for (const part of Array.isArray(content) ? content : []) if (part.type === "tool-result") visible.add(part.toolCallId);
  }
  const left = [...ids].filter((id) => visible.has(id));
  if (left.length === ids.size) return;
  results.set(session, new Set(left));
  tersed.compacted(session, left);
}

export default {
  name: "tersed",
  manifest: { capabilities: ["hooks", "tools"] },
  hooks: {
    beforeModel: async (context) => void forget(context),
    afterTool: async (context) => {
      if (context.toolCall?.toolName === EXPAND.name || !context.result) return undefined;
      const result = await smaller(context).catch(() => undefined);
      return result && { result };
    },
  },
  setup(api) {
    api.registerTool({
      name: EXPAND.name,
      description: EXPAND.description,
      inputSchema: EXPAND.parameters,
      execute: (args, context) => tersed.read([contextOf(context), ...results.keys()], args.id, linesOf(args)),
    });
  },
};
