/** An error of tersed. */
export class TersedError extends Error {
  /** As in JSON-RPC. */
  readonly code: number;
  readonly data?: unknown;
}

/** A tool result for `toolResult/compress`. */
export interface ToolResult {
  tool: string;
  content: string | readonly unknown[];
  toolCallId?: string;
  arguments?: unknown;
  command?: string;
  path?: string;
  exitCode?: number;
  isError?: boolean;
}

/** The answer of `toolResult/compress`. */
export interface Compressed {
  /** In the shape of the original. */
  content: string | unknown[];
  /** The changes; `tokens` compares before and after. */
  evidence?: { status: string; tokens: { before: number; after: number }; [member: string]: unknown };
  /** The original, if something was left out. `artifact/read` reads it. */
  artifact?: { id: string; bytes: number; lines?: number };
}

export interface Settings {
  /** `initializationOptions.tersed` of the protocol, for example `{ policy: { mode: "aggressive" } }`. */
  options?: object;
  /** 64 hexadecimal digits. Engines with the same key return the same bytes. Without one each engine uses a random key. */
  sealKey?: string;
}

/** The module: `WebAssembly.Module`, or the bytes of `tersed.wasm`. */
export type Source = ArrayBuffer | ArrayBufferView<ArrayBuffer> | object;

/** An engine with its sessions. */
export class Tersed {
  private constructor();
  /** Starts an engine. @throws TersedError if a setting is not known. */
  static start(source: Source, settings?: Settings): Promise<Tersed>;
  /** The answer of `initialize`. */
  readonly capabilities: { protocolVersion: number; methods: string[]; [member: string]: unknown };
  /** Calls a method of the protocol. @throws TersedError if the method fails. */
  request(method: string, params?: object): any;
  /** `toolResult/compress`; `more` has `sessionId`, `policy`, `query`, `budget`. */
  compress(result: ToolResult, more?: { sessionId?: string; policy?: object; query?: string; budget?: object }): Compressed;
}
