// Codex with a model that runs tools inside a program, behind the gateway.

import { behind } from "./gateway.mjs";
import codex from "./codex-code.mjs";

export default behind(codex, {
  // The output of a program for the model is a result; the data that it reads itself never leave the host.
  same: ["counted", "both"],
  unchanged: [],
  args: (about) => codex.args(about).filter((arg) => arg !== "--dangerously-bypass-hook-trust"),
  env: (about) => ({ ...codex.env(about), OPENAI_API_KEY: "none" }),
});
