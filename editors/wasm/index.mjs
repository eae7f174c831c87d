/**
 * tersed without a child process: its engine as a WebAssembly module, for hosts that cannot start a program (serverless
 * functions, browsers, workers). It is the same engine as `tersed serve`, with the same methods and answers; files, such as
 * configuration and originals on disk, are missing.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** An error of tersed, with its `code` and `data`. */
export class TersedError extends Error {
  constructor({ code, message, data }) {
    super(message);
    this.name = "TersedError";
    this.code = code;
    this.data = data;
  }
}

/** An engine with its sessions. */
export class Tersed {
  #exports;
  #ids = 0;
  /** The answer of `initialize`: protocol version, methods, limits. */
  capabilities;

  /**
   * Starts an engine.
   *
   * @param {WebAssembly.Module | BufferSource} source the module: `tersed.wasm`, compiled or as bytes
   * @param {{ options?: object, sealKey?: string }} [settings] `options` are `initializationOptions.tersed` of the protocol;
   *   `sealKey` is 64 hexadecimal digits. Without a key each engine uses a random one, so the checks in its markers differ.
   */
  static async start(source, settings = {}) {
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
    let memory;
    const imports = {
      now_millis: () => Date.now(),
      random: (at, length) => {
        // Browsers return at most 64 KiB of random bytes at once; a key has 32 bytes.
        crypto.getRandomValues(new Uint8Array(memory.buffer, at, length));
      },
      failed: (at, length) => {
        throw new Error(`tersed failed: ${decoder.decode(new Uint8Array(memory.buffer, at, length))}`);
      },
    };
    const instance = await WebAssembly.instantiate(module, { tersed: imports });
    memory = instance.exports.memory;
    return new Tersed(instance.exports, settings);
  }

  constructor(exports, settings) {
    this.#exports = exports;
    this.capabilities = result(this.#pass(exports.tersed_start, settings));
  }

  /**
   * Calls a method of the protocol and returns its result.
   *
   * @param {string} method for example `toolResult/compress`
   * @param {object} [params]
   */
  request(method, params = {}) {
    this.#ids += 1;
    return result(this.#pass(this.#exports.tersed_request, { jsonrpc: "2.0", id: this.#ids, method, params }));
  }

  /** Compresses a tool result; returns its content with evidence: `toolResult/compress`. */
  compress(result, more = {}) {
    return this.request("toolResult/compress", { ...more, result });
  }

  /** Passes a value as JSON and returns the answer. */
  #pass(call, value) {
    const { memory, tersed_alloc, tersed_free } = this.#exports;
    const bytes = encoder.encode(JSON.stringify(value));
    const at = tersed_alloc(bytes.length);
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const answer = BigInt.asUintN(64, call(at, bytes.length));
    const [place, length] = [Number(answer >> 32n), Number(answer & 0xffffffffn)];
    // The memory may have grown and moved.
    const text = decoder.decode(new Uint8Array(memory.buffer, place, length));
    tersed_free(place, length);
    return JSON.parse(text);
  }
}

function result(answer) {
  if (answer.error) throw new TersedError(answer.error);
  return answer.result;
}
