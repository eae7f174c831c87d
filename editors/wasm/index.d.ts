/** A fault that tersed names. */
export class TersedError extends Error {
  /** As in JSON-RPC. */
  readonly code: number;
  readonly data?: unknown;
}

/** A tool result, as `toolResult/compress` takes it. */
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

/** What `toolResult/compress` answers. */
export interface Compressed {
  /** In the shape in which it came. */
  content: string | unknown[];
  /** What was changed; `tokens` compares before and after. */
  evidence?: { status: string; tokens: { before: number; after: number }; [member: string]: unknown };
  /** The original, if something was left out. `artifact/read` reads it. */
  artifact?: { id: string; bytes: number; lines?: number };
}

export interface Settings {
  /** `initializationOptions.tersed` of the protocol, for example `{ policy: { mode: "aggressive" } }`. */
  options?: object;
  /** 64 hexadecimal digits. Engines with the same key give the same bytes. Without one each engine has a random key. */
  sealKey?: string;
}

/** What answers under WebAssembly: `WebAssembly.Module`, or the bytes of `tersed.wasm`. */
export type Source = ArrayBuffer | ArrayBufferView<ArrayBuffer> | object;

/** An engine with its sessions. */
export class Tersed {
  private constructor();
  /** Starts an engine. @throws TersedError if a setting is not known. */
  static start(source: Source, settings?: Settings): Promise<Tersed>;
  /** What `initialize` answers. */
  readonly capabilities: { protocolVersion: number; methods: string[]; [member: string]: unknown };
  /** Calls a method of the protocol. @throws TersedError as the method fails. */
  request(method: string, params?: object): any;
  /** `toolResult/compress`; `more` has `sessionId`, `policy`, `query`, `budget`. */
  compress(result: ToolResult, more?: { sessionId?: string; policy?: object; query?: string; budget?: object }): Compressed;
}
