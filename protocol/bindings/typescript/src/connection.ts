/** One child process, from its start to its end. */

import { type ChildProcess, spawn } from "node:child_process";

import {
  ProtocolViolation,
  RequestCancelled,
  RequestTimeout,
  ServerExited,
  type TersedError,
  fromResponse,
} from "./errors.js";
import { Decoder, encode } from "./framing.js";
import { type Launch, commandLine } from "./launch.js";
import type { RequestOptions } from "./methods.js";

/** Milliseconds within which a server must answer a request that timed out and was cancelled. */
const HANG_GRACE = 1000;
const METHOD_NOT_FOUND = -32601;

interface Call {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A running server. */
export class Connection {
  readonly started = performance.now();
  /** The owner sets it once the server is initialized. */
  ready = false;
  /** Whether it was killed because it answered nothing. */
  hung = false;
  private readonly child: ChildProcess;
  private readonly decoder = new Decoder();
  private readonly calls = new Map<number, Call>();
  private readonly late = new Map<number, number>();
  private readonly ending: Promise<void>;
  private lastId = 0;
  private fault: TersedError | undefined;

  /** Starts the server. Throws `BinaryNotFound`; other faults end the connection with `onEnd`. */
  constructor(
    private readonly launch: Launch,
    private readonly onEnd: (connection: Connection) => void,
  ) {
    const [program, words] = commandLine(launch);
    this.child = spawn(program, words, {
      stdio: ["pipe", "pipe", launch.stderr ?? "ignore"],
      windowsHide: true,
      // The host handles a Ctrl-C in its terminal; the server ends with the host.
      detached: process.platform !== "win32",
      ...(launch.env ? { env: launch.env } : {}),
      ...(launch.cwd !== undefined ? { cwd: launch.cwd } : {}),
    });
    this.ending = new Promise((resolve) => {
      this.child.once("error", () => this.end(new ServerExited(null), resolve));
      this.child.once("close", (code, signal) => this.end(new ServerExited(code, signal), resolve));
    });
    this.child.stdout?.on("data", (chunk: Buffer) => this.read(chunk));
    this.child.stdout?.once("end", () => this.outputEnded());
    this.child.stdin?.on("error", () => undefined);
    this.idle();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Sends a request. Rejects with a `TersedError`, or with an error of `JSON.stringify`. */
  request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    const { timeout, signal } = options;
    return new Promise((resolve, reject) => {
      if (this.fault) return reject(this.fault);
      if (signal?.aborted) return reject(new RequestCancelled(`${method} was cancelled`));
      const id = ++this.lastId;
      const frame = encode({ jsonrpc: "2.0", id, method, params });
      const giveUp = (error: TersedError) => {
        if (!this.calls.delete(id)) return;
        done();
        this.notify("$/cancelRequest", { id });
        reject(error);
      };
      const aborted = () => giveUp(new RequestCancelled(`${method} was cancelled`));
      const timer =
        timeout === undefined
          ? undefined
          : setTimeout(() => {
              const hangs = this.isLate();
              this.late.set(id, performance.now());
              giveUp(new RequestTimeout(`no answer to ${method} within ${timeout} ms`));
              if (hangs) this.killHung();
            }, timeout);
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
        this.idle();
      };
      signal?.addEventListener("abort", aborted, { once: true });
      this.calls.set(id, {
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
      });
      this.busy();
      this.child.stdin?.write(frame);
    });
  }

  /** Sends a notification. */
  notify(method: string, params?: unknown): void {
    if (!this.fault) this.child.stdin?.write(encode({ jsonrpc: "2.0", method, params }));
  }

  /** Ends the process at once; unanswered requests fail with `fault`. */
  kill(fault: TersedError = new ServerExited(null, "SIGKILL")): void {
    this.end(fault);
    this.child.kill("SIGKILL");
    this.child.stdin?.destroy();
    this.child.stdout?.destroy();
  }

  /**
   * Ends the server with `shutdown` and `exit`, and kills it after `timeout` milliseconds. One that is late with
   * an answer, or not yet ready, is killed at once.
   */
  async close(timeout: number): Promise<void> {
    if (this.ready && this.late.size === 0 && !this.fault) {
      try {
        await this.request("shutdown", undefined, { timeout });
        this.notify("exit");
        this.child.stdin?.end();
        const timer = setTimeout(() => this.kill(), timeout);
        await this.ending;
        clearTimeout(timer);
      } catch {
        // After any error the process must end.
      }
    }
    this.kill();
  }

  private isLate(): boolean {
    const now = performance.now();
    return [...this.late.values()].some((since) => now - since >= HANG_GRACE);
  }

  private killHung(): void {
    this.hung = true;
    this.kill(new RequestTimeout("the server hangs and was killed"));
  }

  private read(chunk: Buffer): void {
    try {
      for (const message of this.decoder.push(chunk)) this.receive(message);
    } catch (error) {
      this.kill(error instanceof ProtocolViolation ? error : new ProtocolViolation(String(error)));
    }
  }

  private receive(message: unknown): void {
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      throw new ProtocolViolation("a message that is no object");
    }
    const { id, method, params, result, error } = message as Record<string, unknown>;
    if (typeof method === "string") {
      if (id !== undefined) {
        const refusal = { code: METHOD_NOT_FOUND, message: "the client answers no requests" };
        this.child.stdin?.write(encode({ jsonrpc: "2.0", id, error: refusal }));
        return;
      }
      try {
        this.launch.onNotification?.(method, params);
      } catch {
        // An error of a listener is not an error of the server.
      }
      return;
    }
    if (typeof id !== "number") return;
    this.late.delete(id);
    const call = this.calls.get(id);
    if (!this.calls.delete(id)) return;
    if (error !== undefined) call?.reject(fromResponse(error));
    else call?.resolve(result);
  }

  /** A server that closed its output but still runs can answer nothing. */
  private outputEnded(): void {
    const timer = setTimeout(() => this.kill(), 2000);
    void this.ending.then(() => clearTimeout(timer));
  }

  private end(fault: TersedError, resolve?: () => void): void {
    if (!this.fault) {
      this.fault = fault;
      const calls = [...this.calls.values()];
      this.calls.clear();
      for (const call of calls) call.reject(fault);
      this.onEnd(this);
    }
    resolve?.();
  }

  /** While an answer is awaited the process of the host stays alive for it. */
  private busy(): void {
    this.child.ref();
    handle(this.child.stdout)?.ref?.();
  }

  /** A server that waits for requests does not keep its host alive. */
  private idle(): void {
    if (this.calls.size > 0) return;
    this.child.unref();
    handle(this.child.stdout)?.unref?.();
    handle(this.child.stdin)?.unref?.();
  }
}

/** Pipes of child processes are sockets, but their types do not say so. */
function handle(stream: unknown): { ref?(): void; unref?(): void } | undefined {
  return typeof stream === "object" && stream !== null ? stream : undefined;
}
