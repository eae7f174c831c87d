#!/usr/bin/env node
// Starts the program that npm installed for this machine, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const machine = `${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "tersed.exe" : "tersed";

let program;
try {
  program = require.resolve(`tersed-${machine}/${file}`);
} catch {
  console.error(
    `tersed: the package tersed-${machine} is not installed. Either there is none for this machine, or npm was told to ` +
      "leave out optional packages (--omit=optional).",
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends its signals to both; whoever signals this process alone means the program.
for (const signal of ["SIGINT", "SIGQUIT"]) {
  process.on(signal, () => {});
}
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`tersed: ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
