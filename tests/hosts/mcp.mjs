// An MCP server on stdio with one tool, `report`, that gives the text of the file it was started with.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const text = readFileSync(process.argv[2], "utf8");
const TOOL = { name: "report", description: "Gives the last report.", inputSchema: { type: "object", properties: {} } };

for await (const line of createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "reports", version: "1" },
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [TOOL] }),
    "tools/call": () => ({ content: [{ type: "text", text }] }),
  }[method]?.();
  const answer = result ? { result } : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
