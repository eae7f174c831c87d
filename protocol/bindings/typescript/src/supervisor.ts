/** Keeps a server running: starts it on first use, and again after it ended, with delays. */

import { Connection } from "./connection.js";
import {
  ClientClosed,
  ProtocolViolation,
  RequestTimeout,
  RpcError,
  ServerUnavailable,
  TersedError,
} from "./errors.js";
import { DEFAULT_BACKOFF, type Backoff, type Launch, delay } from "./launch.js";
import type { Capabilities, OpenParams } from "./protocol.js";
import { VERSION } from "./version.js";

export const PROTOCOL_VERSION = 1;

/** The code of JSON-RPC for parameters that are wrong. */
const INVALID_PARAMS = -32602;

/** After so many waits in a row without an answer the server is not asked for a while. */
const MOST_WAITS = 2;
/** Milliseconds for which it is not asked then. */
const REST = 60_000;

/** A server that was started, and a promise that resolves when it is ready. */
class Start {
  connection: Connection | undefined;
  ready!: Promise<Connection>;
}

/** Provides the only connection. */
export class Supervisor {
  capabilities: Capabilities | undefined;
  starts = 0;
  /** Whether settings that the server refuses are left out. Otherwise the request fails. */
  isLenient = false;
  private readonly backoff: Backoff;
  private hasOptions: boolean;
  /** Policies that were refused, as JSON. */
  private readonly refused = new Set<string>();
  private readonly sessions = new Map<string, OpenParams>();
  private current: Start | undefined;
  private failures = 0;
  private retryAt = 0;
  private lastError = "";
  private closed = false;
  private waits = 0;
  private restUntil = 0;

  constructor(private readonly launch: Launch) {
    this.backoff = { ...DEFAULT_BACKOFF, ...launch.backoff };
    this.hasOptions = launch.options !== undefined;
  }

  get pid(): number | undefined {
    return this.current?.connection?.pid;
  }

  /** The connection, as soon as the server is initialized. Rejects during the delay after a failure. */
  async ready(): Promise<Connection> {
    if (this.closed) throw new ClientClosed("the client was closed");
    const rest = this.restUntil - performance.now();
    if (rest > 0) {
      throw new ServerUnavailable(`no answer in time; next try in ${Math.ceil(rest)} ms`, rest);
    }
    if (this.current) return this.current.ready;
    const wait = this.retryAt - performance.now();
    if (wait > 0) {
      throw new ServerUnavailable(`${this.lastError}; next start in ${Math.ceil(wait)} ms`, wait);
    }
    const start = new Start();
    this.current = start;
    this.starts += 1;
    start.ready = this.start(start);
    return start.ready;
  }

  /** A caller waited and got no answer. After two such waits in a row no caller has to wait for a minute. */
  waited(): void {
    this.waits += 1;
    if (this.waits >= MOST_WAITS) this.restUntil = performance.now() + REST;
  }

  /** An answer arrived. */
  answered(): void {
    this.waits = 0;
  }

  /** The parameters without a policy that was refused before. */
  withoutRefused<P>(params: P): P {
    const { policy } = (params ?? {}) as { policy?: unknown };
    if (this.refused.size === 0 || policy === undefined || !this.refused.has(JSON.stringify(policy))) return params;
    return { ...params, policy: undefined };
  }

  /**
   * The parameters without their policy, if that was refused: secrets must be removed even with wrong settings. Throws
   * any other error.
   */
  withoutPolicy<P>(error: unknown, params: P): P {
    const { policy } = (params ?? {}) as { policy?: unknown };
    const isOfPolicy =
      error instanceof RpcError && error.code === INVALID_PARAMS && error.message.startsWith("policy");
    if (!this.isLenient || !isOfPolicy || policy === undefined) throw error;
    this.refused.add(JSON.stringify(policy));
    warn(`the policy does not count, the default one does: ${error.message}`);
    return this.withoutRefused(params);
  }

  /** Remembers a session with its policy, in case the server is started again. */
  opened(params: OpenParams): void {
    this.sessions.set(params.sessionId, params);
  }

  /** The session was closed. */
  forgotten(sessionId: string): void {
    this.sessions.delete(sessionId);
  }

  /** Ends the server; later requests fail. */
  async close(timeout: number): Promise<void> {
    this.closed = true;
    const { current } = this;
    this.current = undefined;
    await current?.connection?.close(timeout);
  }

  private async start(start: Start): Promise<Connection> {
    try {
      const connection = new Connection(this.launch, (ended) => this.ended(start, ended));
      start.connection = connection;
      this.capabilities = await this.initialize(connection);
      connection.notify("initialized", {});
      for (const params of this.sessions.values()) {
        connection.request("session/open", params, {}).catch(() => undefined);
      }
      connection.ready = true;
      return connection;
    } catch (error) {
      start.connection?.kill();
      this.startFailed(start, error);
      throw error;
    }
  }

  private async initialize(connection: Connection): Promise<Capabilities> {
    const timeout = this.launch.startTimeout ?? 10_000;
    const params = () => ({
      processId: process.pid,
      clientInfo: { name: "tersed-client-node", version: VERSION },
      capabilities: {},
      initializationOptions: {
        tersed: { protocolVersions: [PROTOCOL_VERSION], ...(this.hasOptions ? this.launch.options : {}) },
      },
    });
    const ask = () => connection.request("initialize", params(), { timeout });
    let answer: unknown;
    try {
      answer = await ask().catch((error: unknown) => {
        if (!this.forgives(error)) throw error;
        return ask();
      });
    } catch (error) {
      if (!(error instanceof RequestTimeout)) throw error;
      throw new RequestTimeout(`the server was not ready within ${timeout} ms`);
    }
    const offer = (answer as { capabilities?: { experimental?: { tersed?: Capabilities } } } | null)
      ?.capabilities?.experimental?.tersed;
    if (!offer) throw new ProtocolViolation("the answer to initialize is not that of tersed");
    return offer;
  }

  /** Whether the options were refused, so that the server is started without them. */
  private forgives(error: unknown): boolean {
    const isOfOptions =
      error instanceof RpcError &&
      error.code === INVALID_PARAMS &&
      error.message.includes("initializationOptions");
    if (!this.isLenient || !this.hasOptions || !isOfOptions) return false;
    this.hasOptions = false;
    warn(`the options do not count, the default ones do: ${error.message}`);
    return true;
  }

  /** A start that failed: the next one has to wait. */
  private startFailed(start: Start, error: unknown): void {
    if (this.current !== start) return;
    this.failed(Math.max(2, this.failures + 1), error instanceof TersedError ? error.message : String(error));
  }

  /** A server that was ready has ended. */
  private ended(start: Start, connection: Connection): void {
    if (this.current !== start || !connection.ready) return;
    const lived = performance.now() - connection.started;
    const before = lived >= this.backoff.stable ? 0 : this.failures;
    // A server that hangs costs each caller a whole deadline, so the delay grows faster.
    this.failed(before + (connection.hung ? 4 : 1), "the server ended");
  }

  private failed(failures: number, message: string): void {
    this.current = undefined;
    this.failures = failures;
    this.retryAt = performance.now() + delay(this.backoff, failures);
    this.lastError = message;
  }
}

function warn(message: string): void {
  process.emitWarning(message, "TersedWarning");
}
