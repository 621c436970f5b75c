/**
 * A JavaScript literal, read from source without running it. Only plain data counts: a name, a call, an operator or a
 * template with a substitution makes the whole value not a literal.
 */
export interface Literal {
  readonly value: unknown;
  /** The offset after it. */
  readonly end: number;
}

const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;

interface Cursor {
  readonly source: string;
  at: number;
  values: number;
}

/** Ends the parser at any depth. Thrown and caught in this file only. */
class NotLiteral extends Error {}

export function readLiteral(source: string, start: number): Literal | undefined {
  const cursor: Cursor = { source, at: start, values: 0 };
  try {
    const value = readValue(cursor, 0);
    skipSpace(cursor);
    return { value, end: cursor.at };
  } catch (error) {
    if (error instanceof NotLiteral) return undefined;
    throw error;
  }
}

const KEYWORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  undefined,
};
const NUMBER = /[-+]?(?:0[xX][\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y;

/** Created on demand: Unicode property escapes are slow to compile, and most runs never need them. */
function namePattern(): RegExp {
  return /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
}

function readValue(cursor: Cursor, depth: number): unknown {
  if (depth > MAX_DEPTH || ++cursor.values > MAX_VALUES) throw new NotLiteral();
  skipSpace(cursor);
  const character = cursor.source[cursor.at];
  if (character === "{") return readObject(cursor, depth);
  if (character === "[") return readArray(cursor, depth);
  if (character === '"' || character === "'" || character === "`") return readText(cursor);
  const digits = match(NUMBER, cursor);
  if (digits !== undefined) return Number(digits);
  const name = match(namePattern(), cursor);
  if (name === undefined || !Object.hasOwn(KEYWORDS, name)) throw new NotLiteral();
  return KEYWORDS[name];
}

function readObject(cursor: Cursor, depth: number): unknown {
  const entries: [string, unknown][] = [];
  cursor.at++;
  for (;;) {
    skipSpace(cursor);
    if (accept(cursor, "}")) break;
    const key = readKey(cursor);
    skipSpace(cursor);
    if (!accept(cursor, ":")) throw new NotLiteral();
    const value = readValue(cursor, depth + 1);
    if (value !== undefined) entries.push([key, value]);
    skipSpace(cursor);
    if (accept(cursor, "}")) break;
    if (!accept(cursor, ",")) throw new NotLiteral();
  }
  return Object.fromEntries(entries);
}

function readKey(cursor: Cursor): string {
  const character = cursor.source[cursor.at];
  if (character === '"' || character === "'") return readText(cursor);
  const key = match(namePattern(), cursor) ?? match(NUMBER, cursor);
  if (key === undefined) throw new NotLiteral();
  return key;
}

function readArray(cursor: Cursor, depth: number): unknown {
  const values: unknown[] = [];
  cursor.at++;
  for (;;) {
    skipSpace(cursor);
    if (accept(cursor, "]")) break;
    values.push(readValue(cursor, depth + 1));
    skipSpace(cursor);
    if (accept(cursor, "]")) break;
    if (!accept(cursor, ",")) throw new NotLiteral();
  }
  return values;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
  "\u2028": "",
  "\u2029": "",
};

function readText(cursor: Cursor): string {
  const { source } = cursor;
  const quote = source[cursor.at];
  let value = "";
  for (cursor.at++; cursor.at < source.length; ) {
    const character = source[cursor.at++] ?? "";
    if (character === quote) return value;
    if (character === "\\") value += readEscape(cursor);
    else if (quote === "`" && character === "$" && source[cursor.at] === "{") break;
    else if (quote !== "`" && character === "\n") break;
    else value += character;
  }
  throw new NotLiteral();
}

const HEX = /x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]{1,6})\}/y;

function readEscape(cursor: Cursor): string {
  HEX.lastIndex = cursor.at;
  const hex = HEX.exec(cursor.source);
  if (hex) {
    cursor.at += hex[0].length;
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16);
    if (code > 0x10ffff) throw new NotLiteral();
    return String.fromCodePoint(code);
  }
  const character = cursor.source[cursor.at++] ?? "";
  if (character === "x" || character === "u") throw new NotLiteral();
  if (character === "\r" && cursor.source[cursor.at] === "\n") {
    cursor.at++;
    return "";
  }
  return ESCAPES[character] ?? character;
}

const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

function skipSpace(cursor: Cursor) {
  match(SPACE, cursor);
}

function accept(cursor: Cursor, character: string): boolean {
  if (cursor.source[cursor.at] !== character) return false;
  cursor.at++;
  return true;
}

function match(pattern: RegExp, cursor: Cursor): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.source);
  if (!found) return undefined;
  cursor.at += found[0].length;
  return found[0];
}
