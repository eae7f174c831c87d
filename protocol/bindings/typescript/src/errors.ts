/** What can go wrong, one class for each kind. All are `TersedError`. */

/** Base of all errors of this package. `reason` is a stable name of the kind. */
export class TersedError extends Error {
  readonly reason: string = "error";

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** No `tersed` was found: not given, not in `TERSED_BIN`, not in a package, not on `PATH`. */
export class BinaryNotFound extends TersedError {
  override readonly reason = "missing";
}

/** The server failed recently and is not started again before `retryIn` milliseconds have passed. */
export class ServerUnavailable extends TersedError {
  override readonly reason = "unavailable";
  constructor(
    message: string,
    readonly retryIn: number,
  ) {
    super(message);
  }
}

/** The server ended before it answered. */
export class ServerExited extends TersedError {
  override readonly reason = "exited";
  constructor(
    readonly code: number | null,
    readonly signal: string | null = null,
  ) {
    super(`the server ended with ${signal ?? `exit code ${code}`} before it answered`);
  }
}

/** The server wrote something to standard output that is not the protocol. */
export class ProtocolViolation extends TersedError {
  override readonly reason = "garbage";
}

/** No answer came in time; the request was cancelled. */
export class RequestTimeout extends TersedError {
  override readonly reason = "timeout";
}

/** The client was closed. */
export class ClientClosed extends TersedError {
  override readonly reason = "closed";
}

/** The request was cancelled. */
export class RequestCancelled extends TersedError {
  override readonly reason = "cancelled";
}

/** The server answered with an error. */
export class RpcError extends TersedError {
  override readonly reason: string = "refused";
  /** The stable name of the fault, if it has one. */
  readonly kind: string | undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;

  constructor(
    /** The code of JSON-RPC. */
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(`${message} (${code})`);
    const about = typeof data === "object" && data !== null ? (data as Record<string, unknown>) : {};
    this.kind = typeof about.kind === "string" ? about.kind : undefined;
    this.retryable = about.retryable === true;
  }
}

/** Secrets could not be removed, so no content was returned. Fail-open helpers throw it, too. */
export class RedactionFailed extends RpcError {
  override readonly reason = "redaction_failed";
}

/** The error for the `error` member of a response. */
export function fromResponse(error: unknown): TersedError {
  if (typeof error !== "object" || error === null) return new RpcError(0, "an error without a description");
  const { code, message, data } = error as Record<string, unknown>;
  const answer = new RpcError(
    typeof code === "number" ? code : 0,
    typeof message === "string" ? message : "",
    data,
  );
  if (answer.code === -32800) return new RequestCancelled(answer.message);
  if (answer.kind === "redaction_failed") return new RedactionFailed(answer.code, answer.message, data);
  return answer;
}
