// VS Code: tersed for extensions that run tools, with a status bar and a view of recent results.

import { execFile } from "node:child_process";

import * as vscode from "vscode";
import { EXPAND, Tersed, linesOf } from "../shared/client.mjs";

const SCHEME = "tersed";
const PAGE_BYTES = 1024 * 1024;
// The most pages of an original that are shown; a longer one ends with a note.
const MOST_PAGES = 16;

// The interval and the time limit for reading the counts of this workspace, in milliseconds.
const ASKED_EVERY = 60_000;
const COUNTS_DEADLINE = 2000;

let current;

/** The interface that other extensions get from `getExtension("tersed.tersed").activate()`; see README.md. */
export function activate(context) {
  current = new Results();
  context.subscriptions.push(...current.register());
  return current.api();
}

export function deactivate() {
  current?.dispose();
  current = undefined;
}

class Results {
  #tersed = null;
  #recent = [];
  #next = 1;
  #tokens = { before: 0, after: 0, results: 0 };
  #today = "";
  #compressed = new vscode.EventEmitter();
  #changed = new vscode.EventEmitter();
  #status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 0);

  api() {
    return {
      version: 1,
      compress: (sessionId, result, token) => this.compress(sessionId, result, token),
      wrapTool: (name, tool, sessionId) => this.wrapTool(name, tool, sessionId),
      evicted: (sessionId, what) => this.#client()?.evicted(sessionId, what),
      compacted: (sessionId, visible) => this.#client()?.compacted(sessionId, visible),
      fork: (sessionId, newSessionId, visible) => this.#client()?.fork(sessionId, newSessionId, visible) ?? Promise.resolve(null),
      read: (sessionId, id, lines) => this.#client()?.read(sessionId, id, lines) ?? Promise.resolve(null),
      stats: (sessionId) => this.#client()?.stats(sessionId) ?? Promise.resolve(null),
      onDidCompress: this.#compressed.event,
    };
  }

  register() {
    const { commands, lm, window, workspace } = vscode;
    this.#status.command = "tersed.results.focus";
    this.#show();
    const asking = setInterval(() => this.#ask(), ASKED_EVERY);
    asking.unref?.();
    void this.#ask();
    const registered = [
      { dispose: () => clearInterval(asking) },
      this.#status,
      this.#compressed,
      this.#changed,
      window.registerTreeDataProvider("tersed.results", {
        onDidChangeTreeData: this.#changed.event,
        getChildren: () => this.#recent,
        getTreeItem: (result) => treeItem(result),
      }),
      workspace.registerTextDocumentContentProvider(SCHEME, {
        provideTextDocumentContent: (uri) => this.text(uri),
      }),
      commands.registerCommand("tersed.showResult", (result) => this.showResult(result)),
      commands.registerCommand("tersed.restart", () => this.#restart()),
      commands.registerCommand("tersed.clear", () => {
        this.#recent = [];
        this.#changed.fire(undefined);
      }),
      workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("tersed") && this.#restart()),
    ];
    if (lm?.registerTool) {
      registered.push(
        lm.registerTool(EXPAND.name, {
          invoke: async ({ input }) => {
            const text = await this.#expand(input);
            return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
          },
        }),
      );
    }
    return registered;
  }

  /** The answer of `toolResult/compress`, or null: then the caller keeps its own text. Never rejects. */
  async compress(sessionId, result, token) {
    try {
      const client = this.#client();
      if (!client) return null;
      const abort = new AbortController();
      const watching = token?.onCancellationRequested?.(() => abort.abort());
      if (token?.isCancellationRequested) abort.abort();
      const answer = await client.compress(sessionId, result, { signal: abort.signal });
      watching?.dispose();
      if (answer) this.#record(sessionId, result, answer);
      return answer;
    } catch {
      return null;
    }
  }

  /** A tool for `vscode.lm.registerTool` whose texts are compressed; everything else is unchanged. */
  wrapTool(name, tool, sessionId) {
    const invoke = async (options, token) => {
      const result = await tool.invoke(options, token);
      const texts = (result?.content ?? []).filter((part) => part instanceof vscode.LanguageModelTextPart);
      if (texts.length === 0) return result;
      const content = texts.map(({ value }) => ({ type: "text", text: value }));
      const answer = await this.compress(sessionId, { tool: name, arguments: options.input, content }, token);
      if (!answer) return result;
      const shorter = new Map(texts.map((part, i) => [part, new vscode.LanguageModelTextPart(answer.content[i].text)]));
      result.content = result.content.map((part) => shorter.get(part) ?? part);
      return result;
    };
    return new Proxy(tool, { get: (target, key) => (key === "invoke" ? invoke : bound(target, key)) });
  }

  /** Opens the original of a recent result beside the text for the model: the newest result, or a selected one. */
  async showResult(result) {
    result ??= await this.#pick();
    if (!result) return;
    const uri = (side) => vscode.Uri.from({ scheme: SCHEME, path: `/${result.number}/${side}/${result.tool}` });
    const title = `${result.tool}: original ↔ compressed`;
    await vscode.commands.executeCommand("vscode.diff", uri("original"), uri("compressed"), title);
  }

  /** The text of one side of a result. */
  async text(uri) {
    const [, number, side] = uri.path.split("/");
    const result = this.#recent.find((it) => String(it.number) === number);
    if (!result) return "This result is not kept any more.";
    return side === "original" ? this.#original(result) : result.text;
  }

  dispose() {
    this.#tersed?.close();
    this.#tersed = null;
  }

  #client() {
    const settings = vscode.workspace.getConfiguration("tersed");
    if (!settings.get("enabled", true)) return null;
    this.#tersed ??= new Tersed({
      command: settings.get("path", "tersed"),
      deadlineMs: settings.get("deadlineMs", 1500),
      policy: { mode: settings.get("mode", "standard"), expandTool: true, evidence: "full" },
    });
    return this.#tersed;
  }

  #restart() {
    this.dispose();
    this.#show();
  }

  #record(sessionId, result, answer) {
    const { tokens } = answer.evidence ?? {};
    if (tokens) {
      this.#tokens.before += tokens.before;
      this.#tokens.after += tokens.after;
    }
    this.#tokens.results += 1;
    const entry = {
      number: this.#next++,
      sessionId,
      tool: String(result.tool ?? "tool").replaceAll("/", "_"),
      tokens: tokens ?? { before: 0, after: 0 },
      status: answer.evidence?.status,
      artifact: answer.artifact?.id,
      text: textOf(answer.content),
    };
    const most = Math.max(0, vscode.workspace.getConfiguration("tersed").get("recentResults", 50));
    this.#recent = [entry, ...this.#recent].slice(0, most);
    this.#show();
    this.#changed.fire(undefined);
    this.#compressed.fire({ sessionId, tool: entry.tool, tokens: entry.tokens, status: entry.status });
  }

  #show() {
    const { before, after, results } = this.#tokens;
    const today = /\((\d+ %)\)$/.exec(this.#today)?.[1];
    const saved = before > 0 ? `${percent(before, after)} % saved` : today ? `${today} saved today` : "tersed";
    this.#status.text = `$(fold) ${saved}`;
    const own = `tersed: ${results} tool results, ${before} tokens before, ${after} after`;
    this.#status.tooltip = this.#today ? `${own}\nAll hosts of this workspace: ${this.#today.replace(/^tersed: /, "")}` : own;
    this.#status.show();
  }

  // The savings of hooks, wrapped commands, the gateway and extensions in this workspace today, from their own counts.
  async #ask() {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const settings = vscode.workspace.getConfiguration("tersed");
    if (!folder || !settings.get("enabled", true)) return;
    const line = await today(settings.get("path", "tersed"), folder).catch(() => "");
    if (line === this.#today) return;
    this.#today = line;
    this.#show();
  }

  async #pick() {
    const items = this.#recent.map((result) => ({ label: result.tool, description: savings(result), result }));
    return (await vscode.window.showQuickPick(items, { placeHolder: "Which result?" }))?.result;
  }

  // The stored original: without secrets, and only while it can be read back.
  async #original({ sessionId, artifact, text }) {
    if (!artifact) return text;
    const pieces = [];
    for (let cursor, page = 0; page < MOST_PAGES; page++) {
      const params = { sessionId, id: artifact, maxBytes: PAGE_BYTES, ...(cursor && { cursor }) };
      const answer = await this.#client()?.request("artifact/read", params);
      if (typeof answer?.text !== "string") return pieces.join("") || "The original cannot be read any more.";
      pieces.push(answer.text);
      cursor = answer.nextCursor;
      if (!cursor) return pieces.join("");
    }
    return `${pieces.join("")}\n[more follows]\n`;
  }

  async #expand(input) {
    const owner = this.#recent.find(({ artifact }) => artifact?.startsWith(input.id));
    const client = this.#client();
    if (!owner || !client) return `No original ${input.id} can be read; run the tool again.`;
    return client.read(owner.sessionId, input.id, linesOf(input));
  }
}

/** The line of `tersed statusline` for a folder; empty if there is none. */
function today(program, folder) {
  return new Promise((resolve) => {
    const options = { timeout: COUNTS_DEADLINE, windowsHide: true };
    const child = execFile(program, ["statusline"], options, (error, out) => resolve(error ? "" : out.trim()));
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(JSON.stringify({ cwd: folder }));
  });
}

function treeItem(result) {
  const item = new vscode.TreeItem(result.tool);
  item.description = savings(result);
  item.tooltip = `${result.sessionId ?? "no session"}: ${result.status ?? "unchanged"}`;
  item.command = { command: "tersed.showResult", title: "Show", arguments: [result] };
  return item;
}

function savings({ tokens: { before, after } }) {
  return before > 0 ? `${before} → ${after} tokens, ${percent(before, after)} % saved` : "unchanged";
}

function percent(before, after) {
  return Math.round((100 * (before - after)) / before);
}

function textOf(content) {
  return typeof content === "string" ? content : content.map((part) => part.text ?? `[${part.type}]`).join("\n");
}

function bound(target, key) {
  const value = target[key];
  return typeof value === "function" ? value.bind(target) : value;
}
