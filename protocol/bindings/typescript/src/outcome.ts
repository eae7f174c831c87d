/** What the fail-open helpers give: results, and why one came back as it was. */

import type { ArtifactRef, BeforeAfter, Evidence, MessageResult, Reclaim } from "./protocol.js";

/** Why a result came back as it was. */
export interface Failure {
  /**
   * `missing`, `unavailable`, `exited`, `garbage`, `timeout`, `cancelled`, `refused`, `closed`,
   * `unserializable` or `error`.
   */
  reason: string;
  /** What was asked. */
  method: string;
  error: unknown;
}

/** What the model is to see, in the shape in which it was given. With `failure` it is the original. */
export interface Outcome<T> {
  content: T;
  evidence?: Evidence | undefined;
  /** The stored original, where the content differs from it. */
  artifact?: ArtifactRef | undefined;
  failure?: Failure | undefined;
}

/** A body as the model's provider is to get it, and what became of its results. */
export interface MessagesOutcome<T> extends Outcome<T> {
  /** What became of each result, in order; absent with `failure`. */
  results?: MessageResult[] | undefined;
  /** Tokens of all results. */
  tokens?: BeforeAfter | undefined;
  /** What left the conversation, where that was asked for. */
  reclaim?: Reclaim | undefined;
}
