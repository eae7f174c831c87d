// Kilo: OpenCode's plugin in the folder of Kilo. The package of the platform, since the one above it installs all.

import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import opencode from "./opencode.mjs";

const config = (home) => join(home, ".config/kilo");

export default {
  ...opencode,
  name: "kilo",
  adapter: "opencode",
  packages: ["@kilocode/cli-linux-x64@7.7.9"],
  bin: "@kilocode/cli-linux-x64/bin/kilo",
  configure({ home, work, model }) {
    mkdirSync(config(home), { recursive: true });
    writeFileSync(join(config(home), "kilo.json"), JSON.stringify(opencode.settings({ work, model })));
  },
  install({ home, adapter }) {
    mkdirSync(join(config(home), "plugin"), { recursive: true });
    cpSync(join(adapter, "tersed.js"), join(config(home), "plugin/tersed.js"));
  },
  env: (about) => ({
    ...opencode.env(about),
    KILO_DISABLE_AUTOUPDATE: "1",
    KILO_DISABLE_MODELS_FETCH: "1",
    KILO_TELEMETRY_LEVEL: "off",
  }),
};
