// A scripted model on loopback for the Anthropic messages API, streamed or whole, like model.mjs.

import { createServer } from "node:http";

/**
 * Starts a model that asks for `calls`, each `{kind, tool, args}`, in order; `args` may be a function of what was seen
 * by then. A call of a sub-agent has `inner`, the calls that the sub-agent makes, and `report`, what it says at the end; its
 * `args.prompt` tells its requests. The answer has `url`, `seen` (text by kind), `offered` (names of the tools that the host offered) and `close()`.
 */
export async function start(calls) {
  const seen = {};
  const offered = new Set();
  const all = [...calls, ...calls.flatMap(({ inner }) => inner ?? [])];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      if (!/^\/v1\/messages(\?|$)/.test(request.url)) return reply(response, { input_tokens: 100 });
      const asked = JSON.parse(body);
      for (const { name } of asked.tools ?? []) offered.add(name);
      for (const [id, text] of results(asked)) {
        const call = all[Number(/^toolu_tersed_(\d+)/.exec(id)?.[1])];
        if (call) seen[call.kind] ??= text;
      }
      const parent = calls.find(({ inner, args }) => inner && isOf(asked, args.prompt));
      const own = parent?.inner ?? calls;
      // A request without tools is for a title or the like.
      const next = asked.tools?.length ? own.find((call) => seen[call.kind] === undefined) : undefined;
      answer(response, asked, next ? toolUse(all, all.indexOf(next), seen) : { type: "text", text: parent?.report ?? "done" });
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    offered,
    close: () => {
      server.closeAllConnections?.();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Ids of calls with their results, and what hooks added behind them. */
function results(asked) {
  const found = new Map();
  let last;
  for (const { content } of asked.messages ?? []) {
    for (const block of typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])) {
      if (block.type === "tool_result") {
        last = block.tool_use_id;
        found.set(last, textOf(block.content));
      } else if (last && block.text?.includes("hook additional context: ")) {
        found.set(last, `${found.get(last)}\n${block.text}`);
      }
    }
  }
  return found;
}

/** Whether the conversation of a request began with this text. */
function isOf(asked, prompt) {
  const [first] = asked.messages ?? [];
  return textOf(first?.content).includes(prompt);
}

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map(({ type, text }) => text ?? `[${type}]`).join("\n");

function toolUse(calls, index, seen) {
  const { tool, args } = calls[index];
  return { type: "tool_use", id: `toolu_tersed_${index}`, name: tool, input: typeof args === "function" ? args(seen) : args };
}

function answer(response, asked, block) {
  const stop_reason = block.type === "tool_use" ? "tool_use" : "end_turn";
  const usage = { input_tokens: 100, output_tokens: 10 };
  // Claude Code joins messages with the same id.
  const message = { id: `msg_${block.id ?? "end"}`, type: "message", role: "assistant", model: asked.model, stop_sequence: null, usage };
  if (!asked.stream) return reply(response, { ...message, content: [block], stop_reason });
  const [empty, delta] =
    block.type === "text"
      ? [{ ...block, text: "" }, { type: "text_delta", text: block.text }]
      : [{ ...block, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: empty },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function reply(response, body) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
