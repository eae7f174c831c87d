// Builds `dist` where it is to be used or packed. npm runs it also for a folder that is installed as it is, and there the
// compiler is not installed yet.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL(".", import.meta.url));

function run(...words) {
  const { status } = spawnSync("npm", words, { cwd, stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(new URL("node_modules/typescript/package.json", import.meta.url))) {
  run("install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--no-save");
}
run("run", "--silent", "build");
