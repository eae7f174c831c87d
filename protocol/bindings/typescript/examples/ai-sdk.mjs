/**
 * An agent of the AI SDK whose model is a script: it asks for the tests to be run, and says what it saw.
 * Needs no network. Run with `node examples/ai-sdk.mjs`; `TERSED_BIN` names the binary.
 */

import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Compressor } from "tersed-client";
import { compressTools } from "tersed-client/ai-sdk";

const passed = Array.from({ length: 80 }, (_, n) => `test cases::number_${n} ... ok\n`).join("");
const report = `running 81 tests\n${passed}test cases::the_last ... FAILED\n
failures:\n\n---- cases::the_last stdout ----\nthread 'cases::the_last' panicked at src/lib.rs:9:5:\nboom\n
test result: FAILED. 80 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n`;

const bash = tool({
  description: "Runs a command.",
  inputSchema: jsonSchema({ type: "object", properties: { command: { type: "string" } } }),
  execute: () => report,
});

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const result = prompt.findLast((message) => message.role === "tool");
    if (!result) {
      const input = JSON.stringify({ command: "cargo test" });
      const call = { type: "tool-call", toolCallId: "call_1", toolName: "bash", input };
      const finishReason = { unified: "tool-calls", raw: "tool-calls" };
      return { content: [call], finishReason, usage, warnings: [] };
    }
    const text = `I saw:\n${result.content[0].output.value}`;
    return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
  },
});

const compressor = new Compressor({
  sessionId: "example",
  onFailure: ({ reason }) => console.error(`tersed: ${reason}; results stay as they are`),
});
const { text } = await generateText({
  model,
  tools: compressTools({ bash }, { compressor }),
  prompt: "Do the tests pass?",
  stopWhen: stepCountIs(3),
});
console.log(text);
console.error(`${report.length} characters were ${text.length}`);
await compressor.close();
