// GitHub Copilot CLI: hooks in the repository, as the cloud agent reads them.

import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import copilot from "./copilot.mjs";
import { readBack } from "./workspace.mjs";

export default {
  ...copilot,
  name: "copilot-hooks",
  adapter: "copilot",
  installed: "copilot",
  expand: { tool: "bash", args: ({ passed }) => ({ command: readBack(passed), description: "Reads back" }) },
  // Copilot gives a hook no call id.
  references: false,
  install({ place, work, adapter, binary }) {
    mkdirSync(join(place, "bin"));
    symlinkSync(binary, join(place, "bin/tersed"));
    mkdirSync(join(work.path, ".github/hooks"), { recursive: true });
    cpSync(join(adapter, "hooks.json"), join(work.path, ".github/hooks/tersed.json"));
  },
  path: ({ place }) => [join(place, "bin")],
};
