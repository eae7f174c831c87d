// gptel in a batch Emacs, from Debian's packages; `gptel.el` is the user's configuration.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Debian's packages of gptel and of what it needs. */
const DEBIAN = ["elpa-gptel", "elpa-transient", "elpa-compat", "elpa-cond-let", "elpa-llama"];

export default {
  name: "gptel",
  adapter: "emacs",
  program: "emacs",
  expand: "tersed_expand",
  calls: ({ work }) => [
    { kind: "passed", tool: "shell", args: { command: "./passes.sh" } },
    { kind: "failed", tool: "shell", args: { command: "./fails.sh" } },
    { kind: "read", tool: "read_file", args: { path: work.file } },
  ],
  /** Unpacks the packages below `place`, which may hold them already, and gives the version of gptel. */
  unpack(place) {
    const debs = () => readdirSync(place).filter((file) => file.endsWith(".deb"));
    if (!DEBIAN.every((name) => debs().some((file) => file.startsWith(`${name}_`)))) {
      spawnSync("apt-get", ["download", ...DEBIAN], { cwd: place });
    }
    const absent = DEBIAN.filter((name) => !debs().some((file) => file.startsWith(`${name}_`)));
    if (absent.length) throw new Error(`this Debian has no ${absent.join(", ")}; put the .deb files into ${place}`);
    for (const file of debs()) spawnSync("dpkg", ["-x", file, "root"], { cwd: place });
    const lisp = join(place, "root/usr/share/emacs/site-lisp/elpa-src");
    const gptel = readdirSync(lisp).find((folder) => folder.startsWith("gptel-"));
    return { place, lisp, version: gptel.slice("gptel-".length) };
  },
  install({ home, adapter }) {
    mkdirSync(join(home, ".emacs.d"));
    const lines = [
      `(add-to-list 'load-path ${JSON.stringify(adapter)})`,
      "(require 'gptel)",
      "(require 'tersed)",
      "(setq tersed-deadline 20)",
      "(tersed-gptel-mode 1)",
    ];
    writeFileSync(join(home, ".emacs.d/init.el"), `${lines.join("\n")}\n`);
  },
  args: ({ installed }) => {
    const folders = readdirSync(installed.lisp).flatMap((folder) => ["-L", join(installed.lisp, folder)]);
    return ["-Q", "--batch", ...folders, "-l", fileURLToPath(new URL("gptel.el", import.meta.url))];
  },
  env: ({ model, prompt }) => ({ MODEL_URL: model, PROMPT: prompt }),
};
