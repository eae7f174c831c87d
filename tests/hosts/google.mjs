// A scripted model on loopback for the Gemini API, streamed or whole, like model.mjs.

import { createServer } from "node:http";

/**
 * Starts a model that asks for `calls`, each `{kind, tool, args}`, in order; `args` may be a function of what was seen
 * by then. The answer has `url`, `seen` (text by kind), `offered` (names of the tools that the host offered) and `close()`.
 */
export async function start(calls) {
  const seen = {};
  const offered = new Set();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const method = /:(\w+)(\?|$)/.exec(request.url)?.[1];
      if (!/generateContent$/i.test(method ?? "")) return reply(response, { totalTokens: 100 });
      const asked = JSON.parse(body || "{}");
      const declared = (asked.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
      for (const { name } of declared) offered.add(name);
      for (const [index, text] of results(asked)) {
        const call = calls[index];
        if (call) seen[call.kind] ??= text;
      }
      // A request without tools is for a title or the like.
      const next = declared.length ? calls.findIndex((call) => seen[call.kind] === undefined) : -1;
      const part = next < 0 ? { text: "done" } : { functionCall: functionCall(calls, next, seen) };
      const answer = {
        candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
        modelVersion: "scripted",
      };
      if (!method.startsWith("stream")) return reply(response, answer);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify(answer)}\r\n\r\n`);
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

/** Pairs of a call's index and the text of its result: the API tells them apart by their order alone. */
function results(asked) {
  const parts = (asked.contents ?? []).flatMap((content) => content.parts ?? []);
  return parts
    .filter((part) => part.functionResponse)
    .map(({ functionResponse: { response } }, index) => [index, textOf(response)]);
}

const textOf = (response) => response?.output ?? response?.error ?? JSON.stringify(response ?? null);

function functionCall(calls, index, seen) {
  const { tool, args } = calls[index];
  return { id: `call_tersed_${index}`, name: tool, args: typeof args === "function" ? args(seen) : args };
}

function reply(response, body) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
