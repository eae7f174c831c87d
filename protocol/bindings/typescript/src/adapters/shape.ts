/** Finds the texts of a tool's result, and replaces them. */

/** Texts to compress, and a function that puts the compressed ones into the result. */
export interface Shape {
  content: string | { type: "text"; text: string }[];
  exitCode: number | undefined;
  rebuild(content: unknown): unknown;
}

const STREAMS = ["stdout", "stderr", "output"];
const EXIT_CODES = ["exitCode", "exit_code", "returncode", "returnCode"];

/**
 * The texts of a value: a string, an array with text parts, or the output of a command (`stdout`,
 * `stderr`, `output` of an object). `undefined` for anything else.
 */
export function shapeOf(value: unknown): Shape | undefined {
  if (typeof value === "string") {
    return { content: value, exitCode: undefined, rebuild: (content) => content };
  }
  if (Array.isArray(value)) {
    const at = [...value.keys()].filter((n) => isTextPart(value[n]));
    return parts(value, at, (n) => (value[n] as { text: string }).text, (copy, n, text) => {
      copy[n] = { ...value[n], text };
    });
  }
  if (typeof value !== "object" || value === null) return undefined;
  const object = value as Record<string, unknown>;
  const names = STREAMS.filter((name) => typeof object[name] === "string");
  const code = EXIT_CODES.map((name) => object[name]).find((code) => Number.isInteger(code));
  const shape = parts(object, names, (name) => object[name] as string, (copy, name, text) => {
    copy[name] = text;
  });
  return shape && { ...shape, exitCode: code as number | undefined };
}

function parts<V extends object, K>(
  value: V,
  keys: K[],
  get: (key: K) => string,
  set: (copy: V, key: K, text: string) => void,
): Shape | undefined {
  const rebuild = (content: unknown) => {
    const copy = (Array.isArray(value) ? [...value] : { ...value }) as V;
    const parts = content as { text: string }[];
    const text = (n: number) => (typeof content === "string" ? content : parts[n]?.text);
    keys.forEach((key, n) => set(copy, key, text(n) ?? get(key)));
    return copy;
  };
  const [only, ...others] = keys.map((key) => ({ type: "text" as const, text: get(key) }));
  if (only === undefined) return undefined;
  const content = others.length === 0 ? only.text : [only, ...others];
  return { content, exitCode: undefined, rebuild };
}

function isTextPart(part: unknown): boolean {
  const { type, text } = (part ?? {}) as Record<string, unknown>;
  return (type === "text" || type === "input_text" || type === "output_text") && typeof text === "string";
}
