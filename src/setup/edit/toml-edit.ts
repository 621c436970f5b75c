import { parse, stringify, TomlError } from "smol-toml";
import { WaymarkError } from "../../core/error.ts";
import { applyEdits } from "./difference.ts";
import { type Format, isObject, type Path, type Value } from "./document.ts";
import { type Statement, scan } from "./toml-scan.ts";

/** Whole tables are put at the end and taken away again; single values are changed in their place. */
export const toml: Format = { read, set, unset, append, drop, blank: "" };

function read(text: string, file: string): Value {
  try {
    return plain(parse(text.replace(/^\ufeff/, "")));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what = ""] = error.message.split("\n");
    throw new WaymarkError(
      "broken_config",
      `${file}, line ${error.line}, is not valid TOML (${what.replace(/^Invalid TOML document: /, "")}). Nothing was written; mend that line and run the command again.`,
      { cause: error },
    );
  }
}

/** Dates and long numbers as text: they are compared and never written. */
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

/** Everything at the path and below it. */
function unset(text: string, path: Path): string {
  const statements = scan(text);
  return takeAway(
    text,
    statements,
    statements.filter((each) => isBelow(each.path, path)),
  );
}

function append(text: string, path: Path, value: Value): string {
  return addBlock(text, `[[${keyOf(path)}]]`, isObject(value) ? value : { value });
}

/** The tables of a list each begin with a header of two brackets and take in what is below it. */
function drop(text: string, path: Path, index: number): string {
  const statements = scan(text);
  const group = groupsOf(statements, path)[index];
  if (!group) return text;
  return takeAway(text, statements, group);
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

/** Statements with the remarks among them, and the empty line that set them off. */
function takeAway(text: string, all: readonly Statement[], gone: readonly Statement[]): string {
  const edits: { at: number; length: number; text: string }[] = [];
  for (let index = 0; index < all.length; index++) {
    const first = all[index];
    if (!first || !gone.includes(first)) continue;
    let last = first;
    for (let next = all[index + 1]; next && gone.includes(next); next = all[index + 1]) {
      last = next;
      index++;
    }
    const at = first.kind === "pair" ? first.start : blankBefore(text, first.start, last.end);
    edits.push({ at, length: last.end - at, text: "" });
  }
  return applyEdits(text, edits);
}

/** An empty line above goes along, unless it separates what is left above from what is left below. */
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
