// Codex behind the gateway, without hooks.

import { behind } from "./gateway.mjs";
import codex from "./codex.mjs";

export default behind(codex, {
  // Codex cuts them.
  unchanged: ["read", "long", "longEdit", "grep", "orders", "large", "spawned", "agent"],
  args: (about) => codex.args(about).filter((arg) => arg !== "--dangerously-bypass-hook-trust"),
  env: (about) => ({ ...codex.env(about), OPENAI_API_KEY: "none" }),
});
