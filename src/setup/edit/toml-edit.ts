import { parse, stringify, TomlError } from "smol-toml";
import { WaymarkError } from "../../core/error.ts";
import { applyEdits } from "./diff.ts";
import { type Format, isObject, type Path, type Value, withoutOverflow } from "./document.ts";
import { type Statement, scan } from "./toml-scan.ts";

/** TOML. Tables are added at the end of the file; single values are changed in place. */
export const toml: Format = { read, set, unset, append, drop, blank: "" };

function read(text: string, file: string): Value {
  try {
    return withoutOverflow(file, () => plain(parse(text.replace(/^\ufeff/, ""))));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.split("\n");
    throw new WaymarkError(
      "broken_config",
      `${file}:${error.line} is not valid TOML (${what.replace(/^Invalid TOML document: /, "")}). Nothing was written. Fix that line and run the command again.`,
      { cause: error },
    );
  }
}

/** Dates and large integers become strings: they are only compared, never written. */
function plain(value: unknown): Value {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date || typeof value === "bigint") return String(value);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return value;
  return null;
}

function set(text: string, path: Path, value: Value): string {
  if (isObject(value)) return addBlock(unset(text, path), `[${keyOf(path)}]`, value);
  const statements = scan(text);
  const pair = statements.find((each) => each.kind === "pair" && isAt(each.path, path));
  const printed = inline(value);
  if (pair?.value) {
    const { start, end } = pair.value;
    return applyEdits(text, [{ at: start, length: end - start, text: printed }]);
  }
  const parent = path.slice(0, -1);
  if (parent.length === 0) return addAtTop(text, statements, path, value);
  const header = statements.find((each) => each.kind === "table" && isAt(each.path, parent));
  const name = path.at(-1) ?? "";
  if (!header) return addBlock(text, `[${keyOf(parent)}]`, { [name]: value });
  const eol = eolOf(text);
  const whole = text[header.end - 1] === "\n";
  const line = whole
    ? `${keyOf([name])} = ${printed}${eol}`
    : `${eol}${keyOf([name])} = ${printed}`;
  return applyEdits(text, [{ at: header.end, length: 0, text: line }]);
}

/** After the last pair above the first table, or above the table and its comment. */
function addAtTop(
  text: string,
  statements: readonly Statement[],
  path: Path,
  value: Value,
): string {
  const eol = eolOf(text);
  const line = `${keyOf(path)} = ${inline(value)}${eol}`;
  const table = statements.findIndex(({ kind }) => kind !== "pair");
  const last = statements.slice(0, table === -1 ? undefined : table).at(-1);
  if (last) {
    const isWhole = text[last.end - 1] === "\n";
    return applyEdits(text, [{ at: last.end, length: 0, text: isWhole ? line : `${eol}${line}` }]);
  }
  const first = statements[table];
  if (!first) return `${text}${text === "" || text.endsWith("\n") ? "" : eol}${line}`;
  return applyEdits(text, [{ at: commentBefore(text, first.start), length: 0, text: line + eol }]);
}

/** The start of the comment lines directly above. */
function commentBefore(text: string, start: number): number {
  let at = start;
  while (at > 0) {
    const line = text.lastIndexOf("\n", at - 2) + 1;
    if (text[at - 1] !== "\n" || !/^[ \t]*#/.test(text.slice(line, at))) break;
    at = line;
  }
  return at;
}

/** Removes everything at the path and below it. */
function unset(text: string, path: Path): string {
  const statements = scan(text);
  return remove(
    text,
    statements,
    statements.filter((each) => isBelow(each.path, path)),
  );
}

/** Adds a table to an array of tables, or another value to the start of an array. */
function append(text: string, path: Path, value: Value): string {
  if (isObject(value)) return addBlock(text, `[[${keyOf(path)}]]`, value);
  const array = arrayAt(text, path);
  if (!array) return set(text, path, [value]);
  const isEmpty = /^\[\s*\]$/.test(text.slice(array.start, array.end));
  return applyEdits(text, [
    { at: array.start + 1, length: 0, text: `${inline(value)}${isEmpty ? "" : ", "}` },
  ]);
}

/** Removes a string of an array, or one table of an array of tables: its `[[header]]` and everything below it. */
function drop(text: string, path: Path, index: number): string {
  const array = arrayAt(text, path);
  if (array) return dropString(text, array, index);
  const statements = scan(text);
  const group = groupsOf(statements, path)[index];
  if (!group) return text;
  return remove(text, statements, group);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function arrayAt(text: string, path: Path): Range | undefined {
  return scan(text).find((each) => each.kind === "pair" && isAt(each.path, path))?.value;
}

const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/g;

/** Removes a string with the comma that follows it, or else the one before it. */
function dropString(text: string, { start, end }: Range, index: number): string {
  const strings = [...text.slice(start, end).matchAll(STRING_OR_COMMENT)].filter(
    ([found]) => !found.startsWith("#"),
  );
  const found = strings[index];
  if (!found) return text;
  const at = start + found.index;
  const after = at + found[0].length;
  const comma = /^\s*, ?/.exec(text.slice(after, end))?.[0].length ?? 0;
  const before = comma > 0 ? 0 : (/,\s*$/.exec(text.slice(start, at))?.[0].length ?? 0);
  return applyEdits(text, [{ at: at - before, length: after - at + before + comma, text: "" }]);
}

function groupsOf(statements: readonly Statement[], path: Path): Statement[][] {
  const groups: Statement[][] = [];
  for (const each of statements) {
    if (each.kind === "array" && isAt(each.path, path)) groups.push([each]);
    else if (isBelow(each.path, path)) groups.at(-1)?.push(each);
  }
  return groups;
}

function addBlock(
  text: string,
  header: string,
  values: { readonly [name: string]: Value },
): string {
  const eol = eolOf(text);
  const lines = Object.entries(values).map(
    ([name, value]) => `${keyOf([name])} = ${inline(value)}`,
  );
  const block = [header, ...lines].map((line) => `${line}${eol}`).join("");
  const bare = text.replace(/^\ufeff/, "");
  if (bare === "") return `${text}${block}`;
  const end = /\n$/.test(text) ? "" : eol;
  return `${text}${end}${eol}${block}`;
}

/** Removes statements with the comments between them, and the empty line before them. */
function remove(text: string, all: readonly Statement[], removed: readonly Statement[]): string {
  const edits: { at: number; length: number; text: string }[] = [];
  for (let index = 0; index < all.length; index++) {
    const first = all[index];
    if (!first || !removed.includes(first)) continue;
    let last = first;
    for (let next = all[index + 1]; next && removed.includes(next); next = all[index + 1]) {
      last = next;
      index++;
    }
    const at = first.kind === "pair" ? first.start : blankBefore(text, first.start, last.end);
    edits.push({ at, length: last.end - at, text: "" });
  }
  return applyEdits(text, edits);
}

/** The start of the empty line above, unless it separates statements that remain. */
function blankBefore(text: string, start: number, end: number): number {
  const rest = text.slice(end);
  if (rest !== "" && !/^\r?\n/.test(rest) && !rest.startsWith("[")) return start;
  const blank = /(?<=\n)\r?\n$/.exec(text.slice(0, start)) ?? /^\r?\n$/.exec(text.slice(0, start));
  return blank ? start - blank[0].length : start;
}

function isAt(path: Path, other: Path): boolean {
  return path.length === other.length && isBelow(path, other);
}

function isBelow(path: Path, other: Path): boolean {
  return other.every((name, index) => path[index] === name);
}

function keyOf(path: Path): string {
  return path.map((name) => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))).join(".");
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function inline(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).map(
      ([name, each]) => `${keyOf([name])} = ${inline(each)}`,
    );
    return `{ ${entries.join(", ")} }`;
  }
  return stringify({ value }).trim().slice("value = ".length);
}
