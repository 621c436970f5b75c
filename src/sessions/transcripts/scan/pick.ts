import type { FieldTree } from "../../../agents/agent.ts";

/**
 * Reads some fields of a line of JSON. The other values are skipped without decoding them: a line may have megabytes
 * of tool input beside a few numbers.
 *
 * @param bytes a buffer with the line from `begin` to `end`
 * @returns an object with the fields that the line has, or undefined if it is not one JSON object
 */
export function pickFields(
  bytes: Buffer,
  begin: number,
  end: number,
  tree: FieldTree,
): Record<string, unknown> | undefined {
  const picker: Picker = { bytes, end, at: begin };
  skipSpace(picker);
  const picked = readObject(picker, tree, 1);
  skipSpace(picker);
  return picker.at === end ? picked : undefined;
}

interface Picker {
  readonly bytes: Buffer;
  readonly end: number;
  /** The offset of the next byte; `FAILED` if the text is not JSON. */
  at: number;
}

const FAILED = -1;
/** The limit of the reader. */
const MAX_DEPTH = 64;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

const isSpace = (code: number | undefined) =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function skipSpace(picker: Picker): void {
  const { bytes, end } = picker;
  while (picker.at !== FAILED && picker.at < end && isSpace(bytes[picker.at])) picker.at++;
}

function fail(picker: Picker): undefined {
  picker.at = FAILED;
  return undefined;
}

/** Reads the object at the cursor and leaves the cursor after it. */
function readObject(
  picker: Picker,
  tree: FieldTree,
  depth: number,
): Record<string, unknown> | undefined {
  const { bytes } = picker;
  if (bytes[picker.at] !== OPEN_OBJECT) return fail(picker);
  const picked: Record<string, unknown> = {};
  picker.at++;
  skipSpace(picker);
  if (bytes[picker.at] === CLOSE_OBJECT) {
    picker.at++;
    return picked;
  }
  for (;;) {
    const name = readName(picker);
    if (name === undefined) return undefined;
    const wanted = Object.hasOwn(tree, name) ? tree[name] : undefined;
    const first = bytes[picker.at];
    if (wanted === undefined) skipValue(picker, depth);
    else if (wanted !== true && first === OPEN_OBJECT)
      picked[name] = readObject(picker, wanted, depth + 1);
    else picked[name] = readValue(picker, depth);
    if (!isOpen(picker)) return undefined;
    skipSpace(picker);
    const next = bytes[picker.at++];
    if (next === CLOSE_OBJECT) return picked;
    if (next !== COMMA) return fail(picker);
    skipSpace(picker);
  }
}

const isOpen = ({ at, end }: Picker) => at !== FAILED && at < end;

/** Reads a name and the colon after it. */
function readName(picker: Picker): string | undefined {
  const { bytes, end } = picker;
  const start = picker.at;
  if (bytes[start] !== QUOTE) return fail(picker);
  const close = stringEnd(bytes, start, end);
  if (close === FAILED) return fail(picker);
  picker.at = close + 1;
  skipSpace(picker);
  if (bytes[picker.at] !== COLON) return fail(picker);
  picker.at++;
  skipSpace(picker);
  if (!isOpen(picker)) return fail(picker);
  const name = bytes.toString("utf8", start + 1, close);
  return name.includes("\\") ? (parse(`"${name}"`) as string | undefined) : name;
}

function readValue(picker: Picker, depth: number): unknown {
  const start = picker.at;
  skipValue(picker, depth);
  const value = parse(picker.bytes.toString("utf8", start, picker.at));
  return value === undefined ? fail(picker) : value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The offset of the closing quote of the string that starts at `start`. */
function stringEnd(bytes: Buffer, start: number, end: number): number {
  const near = Math.min(end, start + NEAR);
  for (let at = start + 1; at < near; at++) {
    const code = bytes[at];
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1 && at < end; ) {
    if (!isEscaped(bytes, at, start)) return at;
    at = bytes.indexOf(QUOTE, at + 1);
  }
  return FAILED;
}

/** For short strings, a loop is faster than a search. */
const NEAR = 48;

function isEscaped(bytes: Buffer, at: number, start: number): boolean {
  let before = at - 1;
  while (before > start && bytes[before] === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/** Moves the cursor after the value at the cursor. */
function skipValue(picker: Picker, depth: number): void {
  const { bytes, end } = picker;
  let open = 0;
  for (let at = picker.at; at < end; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = stringEnd(bytes, at, end);
      if (at === FAILED) break;
      if (open === 0) {
        picker.at = at + 1;
        return;
      }
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (depth + ++open > MAX_DEPTH) break;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY || code === COMMA) {
      if (open === 0) {
        // The end of a number or literal.
        if (at === picker.at) break;
        picker.at = at;
        return;
      }
      if (code === COMMA) continue;
      if (--open === 0) {
        picker.at = at + 1;
        return;
      }
    }
  }
  picker.at = FAILED;
}
