// A scripted model on loopback: OpenAI chat completions and responses, streamed or whole. It requests one tool call
// after the other, and keeps their results as a model would have seen them.

import { createServer } from "node:http";

/**
 * Starts a model that asks for `calls`, each `{kind, tool, args}`, in order; `args` may be a function of what was seen
 * by then. A call with a `program` in place of `args` is one of a tool that takes a text. A call of a sub-agent has `inner`, the
 * calls that the sub-agent makes, and `report`, what it says at the end; its `prompt` tells its requests. The answer has `url`, `seen` (text by
 * kind), `offered` (names of the tools that the host offered) and `close()`.
 */
export async function start(calls) {
  const seen = {};
  const offered = new Set();
  const all = [...calls, ...calls.flatMap(({ inner }) => inner ?? [])];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      if (request.method !== "POST") {
        return reply(response, { object: "list", data: [{ id: "scripted", object: "model" }] });
      }
      const asked = JSON.parse(body || "{}");
      const wire = asked.input === undefined ? chat : responses;
      for (const name of wire.tools(asked)) offered.add(name);
      for (const [id, text] of wire.results(asked)) {
        const call = all[Number(/^call_tersed_(\d+)/.exec(id)?.[1])];
        // A result that is sent again later may have been cleared by then.
        if (call) seen[call.kind] ??= text;
      }
      const parent = calls.find(({ inner, prompt }) => inner && wire.said?.(asked).some((text) => text.includes(prompt)));
      const own = parent?.inner ?? calls;
      // A request without tools is for a title or the like.
      const next = wire.tools(asked).length ? own.find((call) => seen[call.kind] === undefined) : undefined;
      wire.answer(response, asked, next && callOf(all, all.indexOf(next), seen), parent?.report);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    seen,
    offered,
    close: () => {
      server.closeAllConnections?.();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function callOf(calls, index, seen) {
  const { tool, args, program } = calls[index];
  return { program, tool, id: `call_tersed_${index}`, args: JSON.stringify(typeof args === "function" ? args(seen) : args) };
}

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? part.output ?? "").join("\n");

const chat = {
  tools: (asked) => (asked.tools ?? []).map((tool) => tool.function?.name),
  results: (asked) =>
    (asked.messages ?? []).filter(({ role }) => role === "tool").map((it) => [it.tool_call_id, textOf(it.content)]),

  answer(response, asked, call) {
    const message = call
      ? {
          role: "assistant",
          content: null,
          tool_calls: [{ index: 0, id: call.id, type: "function", function: { name: call.tool, arguments: call.args } }],
        }
      : { role: "assistant", content: "done" };
    const finish_reason = call ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    const whole = { id: "chatcmpl-1", created: 1, model: "scripted", usage };
    if (!asked.stream) {
      return reply(response, { ...whole, object: "chat.completion", choices: [{ index: 0, message, finish_reason }] });
    }
    const piece = { ...whole, object: "chat.completion.chunk", usage: undefined };
    stream(response, [
      [, { ...piece, choices: [{ index: 0, delta: message, finish_reason: null }] }],
      [, { ...piece, choices: [{ index: 0, delta: {}, finish_reason }] }],
      [, { ...piece, choices: [], usage }],
      [, "[DONE]"],
    ]);
  },
};

const responses = {
  // Tools of an MCP server may come under one name, `{type: "namespace", name, tools}`.
  // For some models of Codex they are among the messages.
  tools: (asked) =>
    [asked, ...(Array.isArray(asked.input) ? asked.input.filter(({ type }) => type === "additional_tools") : [])]
      .flatMap(({ tools }) => tools ?? [])
      .flatMap(({ type, name, tools }) => (tools ? tools.map((tool) => `${name}__${tool.name}`) : (name ?? type))),
  results: (asked) =>
    (Array.isArray(asked.input) ? asked.input : [])
      .filter(({ type }) => /_call_output$/.test(type))
      .map((it) => [it.call_id, textOf(it.output)]),

  /** What the user, or the agent above, said. */
  said: (asked) =>
    (Array.isArray(asked.input) ? asked.input : []).filter(({ role }) => role === "user").map(({ content }) => textOf(content)),

  answer(response, asked, call, last = "done") {
    const group = (asked.tools ?? []).find(({ name, tools }) => tools && call?.tool.startsWith(`${name}__`))?.name;
    const called = group ? { namespace: group, name: call.tool.slice(group.length + 2) } : { name: call?.tool };
    const item = call?.program
      ? { type: "custom_tool_call", id: `ctc_${call.id}`, call_id: call.id, name: call.tool, input: call.program, status: "completed" }
      : call
      ? { type: "function_call", id: `fc_${call.id}`, call_id: call.id, ...called, arguments: call.args, status: "completed" }
      : {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: last, annotations: [] }],
        };
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 110,
    };
    const whole = { id: "resp_1", object: "response", created_at: 1, model: "scripted", status: "completed", output: [item], usage };
    if (!asked.stream) return reply(response, whole);
    const started = { ...whole, status: "in_progress", output: [], usage: null };
    const empty = call ? { ...item, ...(call.program ? { input: "" } : { arguments: "" }), status: "in_progress" } : { ...item, content: [], status: "in_progress" };
    const at = { item_id: item.id, output_index: 0 };
    const part = { type: "output_text", text: "", annotations: [] };
    const inside = call?.program
      ? [
          { type: "response.custom_tool_call_input.delta", ...at, delta: call.program },
          { type: "response.custom_tool_call_input.done", ...at, input: call.program },
        ]
      : call
      ? [
          { type: "response.function_call_arguments.delta", ...at, delta: call.args },
          { type: "response.function_call_arguments.done", ...at, arguments: call.args },
        ]
      : [
          { type: "response.content_part.added", ...at, content_index: 0, part },
          { type: "response.output_text.delta", ...at, content_index: 0, delta: last },
          { type: "response.output_text.done", ...at, content_index: 0, text: last },
          { type: "response.content_part.done", ...at, content_index: 0, part: { ...part, text: last } },
        ];
    const events = [
      { type: "response.created", response: started },
      { type: "response.output_item.added", output_index: 0, item: empty },
      ...inside,
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: whole },
    ];
    stream(response, events.map((event, i) => [event.type, { ...event, sequence_number: i }]));
  },
};

function reply(response, body) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function stream(response, events) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [event, data] of events) {
    if (event) response.write(`event: ${event}\n`);
    response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  }
  response.end();
}
