// Copies the figures from files of `run.mjs --json` into measured.json, from which the tables of this folder and of
// `editors` are made: node tests/hosts/measured.mjs FILE... A host whose run had a fault is left out.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  options: { binary: { type: "string", default: fileURLToPath(new URL("../../target/release/tersed", import.meta.url)) } },
  allowPositionals: true,
});
const place = new URL("measured.json", import.meta.url);
const measured = JSON.parse(readFileSync(place, "utf8"));
const tersed = execFileSync(values.binary, ["--version"], { encoding: "utf8" }).trim().split(" ").at(-1);
const on = `${process.platform === "linux" ? "Linux" : process.platform} ${process.arch === "x64" ? "x86-64" : process.arch}, Node.js ${process.versions.node.split(".")[0]}`;

for (const file of positionals) {
  const byHost = Map.groupBy?.(JSON.parse(readFileSync(file, "utf8")), (row) => row.host) ?? grouped(file);
  for (const [name, rows] of byHost) {
    const [host, version] = name.split(" ");
    const wrong = rows.filter((row) => row.verdict !== "ok");
    if (!version || wrong.length) {
      console.error(`${name}: left out: ${wrong.map(({ result, verdict }) => `${result} ${verdict}`).join("; ")}`);
      process.exitCode = 1;
      continue;
    }
    const results = rows
      .filter((row) => row.tool)
      .map(({ result, tool, before, after, exit }) => ({ kind: result, tool, ...(before !== "" && { before }), after, ...(exit && { exit }) }));
    const at = measured.findIndex((known) => known.host === host);
    const { settings } = measured[at] ?? {};
    measured[at < 0 ? measured.length : at] = { host, version, ...(settings && { settings }), tersed, on, results };
  }
}

/** The rows of a file by host. */
function grouped(file) {
  const all = new Map();
  for (const row of JSON.parse(readFileSync(file, "utf8"))) all.set(row.host, [...(all.get(row.host) ?? []), row]);
  return all;
}

const texts = measured.map(({ results, ...about }) => {
  const lines = results.map((result) => `    ${JSON.stringify(result)}`).join(",\n");
  return `  ${JSON.stringify(about).slice(0, -1)},"results":[\n${lines}\n  ]}`;
});
writeFileSync(place, `[\n${texts.join(",\n")}\n]\n`);
