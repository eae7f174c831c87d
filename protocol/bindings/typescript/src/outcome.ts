/** The results of the fail-open helpers, and why one was returned unchanged. */

import type { ArtifactRef, BeforeAfter, Evidence, MessageResult, Reclaim } from "./protocol.js";

/** Why a result was returned unchanged. */
export interface Failure {
  /**
   * `missing`, `unavailable`, `exited`, `garbage`, `timeout`, `cancelled`, `refused`, `closed`,
   * `unserializable` or `error`.
   */
  reason: string;
  /** The method that was called. */
  method: string;
  error: unknown;
}

/** The text for the model, in the shape of the original. With `failure` it is the original. */
export interface Outcome<T> {
  content: T;
  evidence?: Evidence | undefined;
  /** The stored original, if the content differs from it. */
  artifact?: ArtifactRef | undefined;
  failure?: Failure | undefined;
}

/** A request body for the model's provider, and the outcomes of its results. */
export interface MessagesOutcome<T> extends Outcome<T> {
  /** The outcome of each result, in order; absent with `failure`. */
  results?: MessageResult[] | undefined;
  /** Tokens of all results. */
  tokens?: BeforeAfter | undefined;
  /** The results that were removed from the conversation, if that was requested. */
  reclaim?: Reclaim | undefined;
}
