import { CUT, isCut, MAX_OUTPUT } from "./values.ts";

/** A program may write the output as JSON inside a string; longer strings are not parsed. */
const MAX_NESTED = 32 * 1024 * 1024;
const MAX_DEPTH = 64;

/**
 * The output of a call in full. Decoders emit an excerpt of it; the record that they read has the whole text.
 *
 * @param record the record of the result
 * @param excerpt the output as the decoder emitted it
 */
export function wholeOutput(record: unknown, excerpt: string): string {
  if (!isCut(excerpt)) return excerpt;
  const [head = "", tail = ""] = partsOf(excerpt);
  return find(record, head, tail, 0) ?? excerpt;
}

/** Beginning and end of the text. Some decoders only keep its beginning. */
function partsOf(excerpt: string): readonly string[] {
  const half = Math.ceil((MAX_OUTPUT - CUT.length) / 2);
  return excerpt.slice(half, half + CUT.length) === CUT
    ? [excerpt.slice(0, half), excerpt.slice(half + CUT.length)]
    : [excerpt, ""];
}

function find(value: unknown, head: string, tail: string, depth: number): string | undefined {
  if (typeof value === "string") {
    if (value.length >= MAX_OUTPUT && value.startsWith(head) && value.endsWith(tail)) return value;
    const nested = nestedIn(value);
    return nested === undefined ? undefined : find(nested, head, tail, depth + 1);
  }
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    const joined = value.map((part) => (part as { text?: unknown } | null)?.text ?? "").join("\n");
    if (joined.length >= MAX_OUTPUT && joined.startsWith(head) && joined.endsWith(tail))
      return joined;
  }
  for (const each of Object.values(value)) {
    const found = find(each, head, tail, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nestedIn(text: string): unknown {
  if (text.length < MAX_OUTPUT || text.length > MAX_NESTED || !/^[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Text that only looks like JSON.
    return undefined;
  }
}
