// Gemini CLI behind the gateway, without hooks.

import { behind } from "./gateway.mjs";
import gemini from "./gemini.mjs";

export default behind(gemini, { references: true, unchanged: [] });
