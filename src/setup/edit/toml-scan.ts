import { parse } from "smol-toml";
import { WaymarkError } from "../../core/error.ts";
import { lineOf, type Path } from "./document.ts";

/** One header or one `key = value` of a TOML file, with the bytes that it takes. */
export interface Statement {
  readonly kind: "table" | "array" | "pair";
  /** From the root: of a pair with the names of the table that it stands in. */
  readonly path: Path;
  /** The beginning of its line. */
  readonly start: number;
  /** The beginning of the next line. */
  readonly end: number;
  /** Of a pair, where its value stands. */
  readonly value?: { readonly start: number; readonly end: number };
}

/**
 * Every statement of a file that a TOML parser has read without complaint, so that here only places
 * have to be found.
 */
export function scan(text: string): readonly Statement[] {
  const statements: Statement[] = [];
  let table: Path = [];
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; ) {
    const start = at;
    at = skipSpace(text, at);
    const character = text[at] ?? "";
    if (character === "" || character === "#" || character === "\r" || character === "\n") {
      at = nextLine(text, at);
      continue;
    }
    if (character === "[") {
      const array = text[at + 1] === "[";
      const key = readKey(text, at + (array ? 2 : 1));
      table = key.path;
      const end = nextLine(text, key.end);
      statements.push({ kind: array ? "array" : "table", path: table, start, end });
      at = end;
      continue;
    }
    const key = readKey(text, at);
    const valueStart = skipSpace(text, skipSpace(text, key.end) + 1);
    const valueEnd = endOfValue(text, valueStart);
    const end = nextLine(text, valueEnd);
    statements.push({
      kind: "pair",
      path: [...table, ...key.path],
      start,
      end,
      value: { start: valueStart, end: valueEnd },
    });
    at = end;
  }
  return statements;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at++;
  return at;
}

function nextLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end + 1;
}

function readKey(text: string, from: number): { readonly path: Path; readonly end: number } {
  const path: string[] = [];
  for (let at = from; ; at++) {
    at = skipSpace(text, at);
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = endOfString(text, at);
      path.push(...Object.keys(parse(`${text.slice(at, end)} = 0`)));
      at = end;
    } else {
      const [bare = ""] = /^[^\s.=\]"'#]+/.exec(text.slice(at, at + 1_000)) ?? [];
      if (bare === "") throw lost(text, at);
      path.push(bare);
      at += bare.length;
    }
    at = skipSpace(text, at);
    if (text[at] !== ".") return { path, end: at };
  }
}

function endOfString(text: string, start: number): number {
  const quote = text[start] ?? "";
  const long = quote.repeat(3);
  if (text.startsWith(long, start)) {
    for (let at = start + 3; at < text.length; at++) {
      if (quote === '"' && text[at] === "\\") at++;
      else if (text.startsWith(long, at)) {
        // Up to two more quotes belong to the text itself.
        let end = at + 3;
        while (text[end] === quote) end++;
        return end;
      }
    }
    throw lost(text, start);
  }
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text[at] === quote) return at + 1;
    else if (text[at] === "\n") break;
  }
  throw lost(text, start);
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let end = start;
  for (let at = start; at < text.length; ) {
    const character = text[at] ?? "";
    if (character === '"' || character === "'") at = endOfString(text, at);
    else if (character === "#") {
      if (depth === 0) return end;
      at = nextLine(text, at);
      continue;
    } else if (character === "\n" && depth === 0) return end;
    else {
      if (character === "[" || character === "{") depth++;
      if (character === "]" || character === "}") depth--;
      at++;
    }
    if (!/\s/.test(character)) end = at;
  }
  return end;
}

function lost(text: string, at: number): WaymarkError {
  return new WaymarkError(
    "broken_config",
    `Line ${lineOf(text, at)} of the TOML file is written in a way that Waymark cannot follow. Nothing was written.`,
  );
}
