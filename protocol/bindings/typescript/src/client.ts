/** The client that offers every method of the protocol and throws errors. */

import type { Connection } from "./connection.js";
import { RequestCancelled, RequestTimeout } from "./errors.js";
import type { Launch } from "./launch.js";
import { Methods, type Notifications, type RequestOptions, type Requests } from "./methods.js";
import type { Capabilities, OpenParams, SessionParams } from "./protocol.js";
import { Supervisor } from "./supervisor.js";

/** How the server is run, and how long requests may take. */
export interface ClientOptions extends Launch {
  /** Milliseconds for each request, including a start of the server. Default 30000. */
  timeout?: number | undefined;
}

/**
 * A client. The first request starts the server; after it ended, the next request starts it again.
 * A server that waits for requests does not keep the process of its host alive.
 *
 * ```ts
 * const client = new Client();
 * const answer = await client.toolResultCompress({ result: { tool: "bash", content: text } });
 * await client.close();
 * ```
 *
 * For code that must continue after any error, see `Compressor`.
 */
export class Client extends Methods {
  private readonly supervisor: Supervisor;
  private readonly timeout: number;

  constructor(options: ClientOptions = {}) {
    super();
    this.supervisor = new Supervisor(options);
    this.timeout = options.timeout ?? 30_000;
  }

  /**
   * Leaves out settings that the server refuses, with a warning, instead of throwing. A `Compressor` uses this, because
   * secrets must be removed even with wrong settings.
   */
  beLenient(): void {
    this.supervisor.isLenient = true;
  }

  /** The server's answer to `initialize`, once it is started. */
  get capabilities(): Capabilities | undefined {
    return this.supervisor.capabilities;
  }

  /** The process id of the server, while it runs. */
  get pid(): number | undefined {
    return this.supervisor.pid;
  }

  /** How often a start of the server was tried. */
  get starts(): number {
    return this.supervisor.starts;
  }

  /** Starts the server if it does not run, and returns its answer to `initialize`. */
  async start(options: RequestOptions = {}): Promise<Capabilities> {
    await this.connect(options);
    return this.supervisor.capabilities as Capabilities;
  }

  async request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    options: RequestOptions = {},
  ): Promise<Requests[M]["result"]> {
    const started = performance.now();
    const timeout = options.timeout ?? this.timeout;
    const ask = async () => {
      const connection = await this.connect(options);
      const left = Math.max(0, timeout - (performance.now() - started));
      return connection.request(method, params, { timeout: left, signal: options.signal });
    };
    let result: unknown;
    params = this.supervisor.withoutRefused(params);
    try {
      result = await ask().catch((error: unknown) => {
        params = this.supervisor.withoutPolicy(error, params);
        return ask();
      });
      this.supervisor.answered();
    } catch (error) {
      if (error instanceof RequestTimeout) this.supervisor.waited();
      throw error;
    }
    if (method === "session/open") this.supervisor.opened(params as OpenParams);
    if (method === "session/close") this.supervisor.forgotten((params as SessionParams).sessionId);
    return result as Requests[M]["result"];
  }

  async notify<M extends keyof Notifications>(
    method: M,
    params: Notifications[M]["params"],
  ): Promise<void> {
    (await this.connect({})).notify(method, params);
  }

  /** Ends the server properly, and kills it after `timeout` milliseconds. */
  async close(timeout = 5000): Promise<void> {
    await this.supervisor.close(timeout);
  }

  /** The connection, or an error when it takes too long; others may still wait for the same start. */
  private connect({ timeout = this.timeout, signal }: RequestOptions): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const aborted = () => reject(new RequestCancelled("the request was cancelled"));
      if (signal?.aborted) return aborted();
      const timer = setTimeout(() => reject(new RequestTimeout("the server was not ready in time")), timeout);
      signal?.addEventListener("abort", aborted, { once: true });
      this.supervisor
        .ready()
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", aborted);
        });
    });
  }
}
