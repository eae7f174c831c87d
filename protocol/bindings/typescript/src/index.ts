/**
 * A client of `tersed`, which makes tool results cheaper for coding agents.
 *
 * `Compressor` fails open: without a working server it returns the original results. `Client` offers every
 * method of the protocol and throws errors.
 */

export { Client, type ClientOptions } from "./client.js";
export {
  type CallInfo,
  type CompressOptions,
  Compressor,
  type CompressorOptions,
  type ReclaimOptions,
} from "./compressor.js";
export * from "./errors.js";
export { type Backoff, DEFAULT_BACKOFF, type Launch, delay, findBinary } from "./launch.js";
export type { Notifications, RequestOptions, Requests } from "./methods.js";
export type { Failure, MessagesOutcome, Outcome } from "./outcome.js";
export type * as protocol from "./protocol.js";
export { Stream, type StreamContent } from "./stream.js";
export { PROTOCOL_VERSION } from "./supervisor.js";
export { VERSION } from "./version.js";
