// Codex with a model that runs tools inside a program, behind the gateway.

import { behind } from "./gateway.mjs";
import codex from "./codex-code.mjs";

export default behind(codex, {
  // What a program prints for the model is a result; what it reads itself never leaves the host.
  same: ["counted", "both"],
  unchanged: [],
  args: (about) => codex.args(about).filter((arg) => arg !== "--dangerously-bypass-hook-trust"),
  env: (about) => ({ ...codex.env(about), OPENAI_API_KEY: "none" }),
});
