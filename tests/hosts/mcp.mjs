// An MCP server on stdio with two tools: `report` returns the text of the file with which it was started, and `orders` a large list as
// JSON.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const text = readFileSync(process.argv[2], "utf8");
const none = { type: "object", properties: {} };
const TOOLS = [
  { name: "report", description: "Gives the last report.", inputSchema: none },
  { name: "orders", description: "Lists all orders.", inputSchema: none },
];
const STATES = ["open", "paid", "sent", "returned"];
const orders = () =>
  Array.from({ length: 150 }, (_, n) => ({
    id: 7000 + n,
    state: STATES[(n * 7) % 4],
    customer: { name: `customer ${(n * 31) % 97}`, city: `city ${(n * 13) % 23}` },
    total: ((n * 7919) % 100000) / 100,
    note: n === 90 ? "refused: the card has expired" : null,
  }));

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
    "tools/list": () => ({ tools: TOOLS }),
    "tools/call": () => ({
      content: [{ type: "text", text: params.name === "orders" ? JSON.stringify(orders(), null, 2) : text }],
    }),
  }[method]?.();
  const answer = result ? { result } : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
