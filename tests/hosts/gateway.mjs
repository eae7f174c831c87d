// A host behind `tersed gateway`: without an adapter, its requests pass the gateway on their way to the model.

import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** The module of a host behind the gateway, from that of the host by itself. `more` replaces members. */
export function behind(host, more = {}) {
  return {
    ...host,
    ...more,
    name: `${host.name}-gateway`,
    // The host cuts it before sending it.
    cuts: ["large"],
    installed: host.installed ?? host.name,
    // The original is read with a command.
    wiredExpand: undefined,
    install(about) {
      about.gateway = existsSync(about.binary) && about.binary;
      // A command in a text is searched in the PATH.
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
