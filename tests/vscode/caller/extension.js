// An extension that runs tools, as another would: for each `ask-N.json` in the folder `CALLER` it gives tersed that result,
// and writes what came of it to `answer-N.json`.

const { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

exports.activate = async (context) => {
  const folder = process.env.CALLER;
  const extension = vscode.extensions.getExtension("tersed.tersed");
  const tersed = await extension.activate();
  const write = (name, value) => {
    writeFileSync(join(folder, `${name}.part`), JSON.stringify(value));
    renameSync(join(folder, `${name}.part`), join(folder, name));
  };
  const events = [];
  context.subscriptions.push(tersed.onDidCompress((event) => events.push(event)));
  write("ready.json", { vscode: vscode.version, app: vscode.env.appName, active: extension.isActive, version: tersed.version });
  const timer = setInterval(async () => {
    for (const name of readdirSync(folder)) {
      const number = /^ask-(\d+)\.json$/.exec(name)?.[1];
      if (!number || existsSync(join(folder, `taken-${number}`))) continue;
      writeFileSync(join(folder, `taken-${number}`), "");
      const { result } = JSON.parse(readFileSync(join(folder, name), "utf8"));
      const answer = await tersed.compress("session", result);
      const stats = await tersed.stats("session");
      write(`answer-${number}.json`, { answer, stats, events });
    }
  }, 50);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });
};
