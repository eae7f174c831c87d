// A host behind `tersed gateway`: without an adapter, its requests pass the gateway on their way to the model.

import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** The module of a host behind the gateway, from that of the host by itself. `more` replaces members. */
export function behind(host, more = {}) {
  return {
    ...host,
    ...more,
    name: `${host.name}-gateway`,
    // The host has cut it before it sends it.
    cuts: ["large"],
    installed: host.installed ?? host.name,
    // What is read back is asked for by a command.
    wiredExpand: undefined,
    install(about) {
      about.gateway = existsSync(about.binary) && about.binary;
      // What a text says to type is looked for in the PATH.
      mkdirSync(join(about.place, "bin"));
      symlinkSync(about.binary, join(about.place, "bin/tersed"));
    },
    path: ({ place }) => [join(place, "bin")],
    launch(about, program, args) {
      const { gateway, model } = about;
      return gateway ? [gateway, "gateway", "--upstream", model, "--", program, ...args] : [program, ...args];
    },
  };
}
