import { parse } from "smol-toml";
import { WaymarkError } from "../../core/error.ts";
import { lineOf, type Path } from "./document.ts";

/** A table header or a `key = value` pair of a TOML file, with its offsets. */
export interface Statement {
  readonly kind: "table" | "array" | "pair";
  /** From the root; for a pair, including the path of its table. */
  readonly path: Path;
  /** The start of its line. */
  readonly start: number;
  /** The start of the next line. */
  readonly end: number;
  /** The offsets of a pair's value. */
  readonly value?: { readonly start: number; readonly end: number };
}

/**
 * Finds the statements of a valid TOML file. The text has passed a TOML parser, so only offsets need to be found.
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
        // Up to two more quotes are part of the string.
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
    `Cannot parse line ${lineOf(text, at)} of the TOML file. Nothing was written.`,
  );
}
