/** How the server is found, started, and started again. */

import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, isAbsolute, join, resolve } from "node:path";

import { BinaryNotFound } from "./errors.js";
import type { Options } from "./protocol.js";

/** Milliseconds between a failure and the next start. */
export interface Backoff {
  /** Before the second start; the first start after a server that had been ready has no delay. */
  initial: number;
  /** The factor by which each further failure multiplies the delay. */
  factor: number;
  maximum: number;
  /** A server that ran for so long resets the count. */
  stable: number;
}

export const DEFAULT_BACKOFF: Backoff = { initial: 200, factor: 2, maximum: 30_000, stable: 30_000 };

/** Milliseconds to wait after `failures` failures in a row; 0 after the first. */
export function delay(backoff: Backoff, failures: number): number {
  if (failures < 2) return 0;
  return Math.min(backoff.maximum, backoff.initial * backoff.factor ** Math.min(failures - 2, 64));
}

/** How to run the server. */
export interface Launch {
  /**
   * The path or name of `tersed`, or the words of a whole command. Without it: what the environment variable
   * `TERSED_BIN` names, the program of the npm package `tersed`, or `tersed` from `PATH`.
   */
  command?: string | readonly string[] | undefined;
  /** The arguments after the command. */
  arguments?: readonly string[] | undefined;
  /** The server's settings, `policy` and others. */
  options?: Options | undefined;
  env?: NodeJS.ProcessEnv | undefined;
  cwd?: string | undefined;
  /** Where the server's log goes, as for `stdio` of `spawn`. Default `ignore`. */
  stderr?: "ignore" | "inherit" | undefined;
  /** Milliseconds in which the server must be ready. Default 10000. */
  startTimeout?: number | undefined;
  backoff?: Partial<Backoff> | undefined;
  /** Called with each notification of the server. */
  onNotification?: ((method: string, params: unknown) => void) | undefined;
}

/** The program and its arguments. Throws `BinaryNotFound`, which names the places that were searched. */
export function commandLine(launch: Launch): [string, string[]] {
  const { command, env } = launch;
  const [first, ...rest] = typeof command === "object" ? command : [command];
  if (typeof command === "object" && !first) {
    throw new BinaryNotFound("the command is empty; it needs at least a program");
  }
  return [findBinary(first, env), [...rest.filter((w) => w !== undefined), ...(launch.arguments ?? [])]];
}

/**
 * The path of the `tersed` to run: the given one, else that of `TERSED_BIN`, else that of the npm package
 * `tersed` if it is installed beside this one, else from `PATH`.
 */
export function findBinary(given?: string, env: NodeJS.ProcessEnv = process.env): string {
  const sources: [string, string | undefined][] = [
    ["the argument", given],
    ["TERSED_BIN", env.TERSED_BIN],
  ];
  for (const [source, name] of sources) {
    if (!name) continue;
    const found = which(name, env);
    if (found === undefined) {
      throw new BinaryNotFound(`${source} names ${JSON.stringify(name)}, which is no program`);
    }
    return found;
  }
  const found = ofPackage() ?? which("tersed", env);
  if (found === undefined) {
    throw new BinaryNotFound("no npm package tersed and no tersed on PATH; give its path or set TERSED_BIN");
  }
  return found;
}

/** The program in the package for this kind of machine, which the npm package `tersed` depends on. */
function ofPackage(): string | undefined {
  const file = process.platform === "win32" ? "tersed.exe" : "tersed";
  const program = `tersed-${process.platform}-${process.arch}/${file}`;
  const here = createRequire(import.meta.url);
  // Some package managers show a package only what it depends on itself.
  for (const from of [() => here, () => createRequire(here.resolve("tersed/package.json"))]) {
    try {
      const path = from().resolve(program);
      if (isProgram(path)) return path;
    } catch {
      continue;
    }
  }
  return undefined;
}

function which(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const endings = process.platform === "win32" ? ["", ".exe", ".cmd"] : [""];
  const plain = !isAbsolute(name) && !/[/\\]/.test(name);
  const folders = plain ? (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "") : [""];
  for (const folder of folders) {
    for (const ending of endings) {
      const path = plain ? join(folder, name + ending) : resolve(name + ending);
      if (isProgram(path)) return path;
    }
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
