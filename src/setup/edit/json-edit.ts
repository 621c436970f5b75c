import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { WaymarkError } from "../../core/error.ts";
import { applyEdits, type Edit } from "./diff.ts";
import {
  type Format,
  isObject,
  lineOf,
  type Path,
  type Value,
  withoutOverflow,
} from "./document.ts";
import { treeAlong } from "./json-tree.ts";

const BOM = "\ufeff";

/** JSON with comments and trailing commas, which are kept. */
export const json: Format = { read, set, unset, append, drop, blank: "{}\n" };

/** The text with a space instead of a byte order mark, so that offsets are unchanged. */
function withoutMark(text: string): string {
  return text.startsWith(BOM) ? ` ${text.slice(1)}` : text;
}

/** The tree along a path; undefined for an empty file, which counts as an empty object. */
function treeTo(text: string, path: Path): Node | undefined {
  const bare = withoutMark(text);
  return bare.trim() === "" ? undefined : treeAlong(bare, path);
}

function read(text: string, file: string): Value {
  const bare = withoutMark(text);
  return withoutOverflow(
    file,
    () => strictObject(bare) ?? strictObject(strictText(bare)) ?? readLenient(bare, file),
  );
}

// Strings and comments without an end match too, or each quote in them would start another search to the end.
const COMMENT = /"(?:[^"\\]|\\[\s\S]?)*"?|\/\/[^\r\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const LAST_COMMA = /"(?:[^"\\]|\\[\s\S]?)*"?|,(?<=["\]}\w]\s*,)(?=\s*[}\]])/g;

/** The text without comments and trailing commas. */
function strictText(text: string): string {
  const isComment = (found: string) =>
    found.startsWith("//") || (found.startsWith("/*") && found.length > 3 && found.endsWith("*/"));
  const keepString = (found: string) => (isComment(found) || found === "," ? " " : found);
  return text.replace(COMMENT, keepString).replace(LAST_COMMA, keepString);
}

/** `JSON.parse` takes a tenth of the time and memory of a parser that builds a tree. */
function strictObject(text: string): Value | undefined {
  try {
    const value: Value = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // Comments, trailing commas or an error, which the lenient parser reports.
    return undefined;
  }
}

function readLenient(text: string, file: string): Value {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const what = printParseErrorCode(error.error)
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase();
    throw new WaymarkError(
      "broken_config",
      `${file}:${lineOf(text, error.offset)} is not valid JSON (${what}). Nothing was written. Fix that line and run the command again.`,
    );
  }
  if (!root) return {};
  if (root.type !== "object")
    throw new WaymarkError(
      "broken_config",
      `${file} must contain an object, not ${root.type === "array" ? "a list" : `a ${root.type}`}. Nothing was written. Change it to an object and run the command again.`,
    );
  return contentOf(root);
}

/** The last of duplicate keys counts, as with `JSON.parse`. */
function contentOf(node: Node): Value {
  if (node.type === "array") return (node.children ?? []).map(contentOf);
  if (node.type !== "object") return node.value;
  const entries = (node.children ?? []).map(({ children = [] }) => {
    const [name, value] = children;
    return [String(name?.value), value ? contentOf(value) : null] as const;
  });
  return Object.fromEntries(entries);
}

function propertyOf(object: Node, name: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === name);
}

/** The deepest existing value along a path, and the rest of the path. */
function find(root: Node, path: Path): { readonly node: Node; readonly rest: Path } {
  let node = root;
  for (const [index, name] of path.entries()) {
    const value =
      node.type === "array"
        ? node.children?.[Number(name)]
        : node.type === "object"
          ? propertyOf(node, name)?.children?.[1]
          : undefined;
    if (!value) return { node, rest: path.slice(index) };
    node = value;
  }
  return { node, rest: [] };
}

function rooted(given: string, path: Path): { readonly text: string; readonly root: Node } {
  const root = treeTo(given, path);
  if (root) return { text: given, root };
  const text = `${given.startsWith(BOM) ? BOM : ""}{}${eolOf(given)}`;
  const created = treeTo(text, path);
  if (!created) throw new WaymarkError("setup_fault", "Cannot start an empty JSON file.");
  return { text, root: created };
}

function set(given: string, path: Path, value: Value): string {
  const { text, root } = rooted(given, path);
  const { node, rest } = find(root, path);
  const style = styleOf(text, root);
  if (rest.length === 0) {
    const printed = print(value, style, indentAt(text, node.offset), isSpread(text, node));
    return applyEdits(text, [{ at: node.offset, length: node.length, text: printed }]);
  }
  const [name = "", ...deeper] = rest;
  const nested = deeper.reduceRight<Value>((inner, key) => ({ [key]: inner }), value);
  return insert(text, node, style, (indent, spread) => {
    const printed = print(nested, style, indent, spread);
    return `${JSON.stringify(name)}:${spread || style.spaced ? " " : ""}${printed}`;
  });
}

function append(given: string, path: Path, value: Value): string {
  const { text, root } = rooted(given, path);
  const { node, rest } = find(root, path);
  if (rest.length > 0) return set(given, path, [value]);
  const style = styleOf(text, root);
  return insert(text, node, style, (indent, spread) => print(value, style, indent, spread));
}

/** Appends a child to an object or a list, formatted like its siblings. */
function insert(
  text: string,
  parent: Node,
  style: Style,
  child: (indent: string, spread: boolean) => string,
): string {
  const children = parent.children ?? [];
  const last = children.at(-1);
  const close = parent.offset + parent.length - 1;
  const outer = indentAt(text, parent.offset);
  if (!last) {
    const inner = text.slice(parent.offset + 1, close);
    const indent = outer + style.unit;
    const printed = `${style.eol}${indent}${child(indent, true)}`;
    const comments = inner.trimEnd();
    if (comments === "")
      return applyEdits(text, [
        { at: parent.offset + 1, length: inner.length, text: `${printed}${style.eol}${outer}` },
      ]);
    return applyEdits(text, [
      { at: parent.offset + 1 + comments.length, length: 0, text: printed },
    ]);
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end);
  const edits: Edit[] = comma === undefined ? [{ at: end, length: 0, text: "," }] : [];
  const spread = isSpread(text, parent);
  const trailing = comma === undefined ? "" : ",";
  if (!spread) {
    const space = style.spaced || comma !== undefined ? " " : "";
    const printed = `${space}${child(outer, false)}${trailing}`;
    return applyEdits(text, [...edits, { at: comma ?? end, length: 0, text: printed }]);
  }
  const indent = indentAt(text, last.offset);
  const at = endOfComments(text, comma ?? end);
  const printed = `${style.eol}${indent}${child(indent, true)}${trailing}`;
  return applyEdits(text, [...edits, { at, length: 0, text: printed }]);
}

function unset(text: string, path: Path): string {
  const root = treeTo(text, path);
  const name = path.at(-1);
  if (!root || name === undefined) return text;
  const { node, rest } = find(root, path.slice(0, -1));
  const property = rest.length === 0 && node.type === "object" ? propertyOf(node, name) : undefined;
  // Removes duplicate keys, too.
  return property ? unset(remove(text, node, property), path) : text;
}

function drop(text: string, path: Path, index: number): string {
  const root = treeTo(text, path);
  if (!root) return text;
  const { node, rest } = find(root, path);
  const child = rest.length === 0 && node.type === "array" ? node.children?.[index] : undefined;
  return child ? remove(text, node, child) : text;
}

/** Removes a child with its white space and comma; comments are kept. */
function remove(text: string, parent: Node, child: Node): string {
  const children = parent.children ?? [];
  const index = children.indexOf(child);
  const end = child.offset + child.length;
  const before = children[index - 1];
  const comma = commaAfter(text, end);
  const close = parent.offset + parent.length - 1;
  if (children.length === 1) {
    const rest =
      text.slice(parent.offset + 1, child.offset).trimEnd() + text.slice(comma ?? end, close);
    const kept = rest.trim() === "" ? "" : rest;
    return applyEdits(text, [
      { at: parent.offset + 1, length: close - parent.offset - 1, text: kept },
    ]);
  }
  const from = leadOf(text, child.offset);
  if (comma !== undefined && (before === undefined || from < child.offset)) {
    // The first of several children on one line is removed with the space after it.
    const inline = from === child.offset ? (/^[ \t]*/.exec(text.slice(comma))?.[0].length ?? 0) : 0;
    return applyEdits(text, [{ at: from, length: comma + inline - from, text: "" }]);
  }
  if (comma !== undefined || !before) {
    const lead = spaceBefore(text, child.offset);
    return applyEdits(text, [{ at: lead, length: (comma ?? end) - lead, text: "" }]);
  }
  const separator = commaAfter(text, before.offset + before.length);
  const lead = from < child.offset ? from : spaceBefore(text, child.offset);
  return applyEdits(text, [
    ...(separator === undefined ? [] : [{ at: separator - 1, length: 1, text: "" }]),
    { at: lead, length: end - lead, text: "" },
  ]);
}

/** The start of the line break before a value that is first on its line, otherwise the offset itself. */
function leadOf(text: string, offset: number): number {
  const start = spaceBefore(text, offset);
  if (text[start - 1] !== "\n") return offset;
  return text[start - 2] === "\r" ? start - 2 : start - 1;
}

function spaceBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  return at;
}

const INLINE_COMMENT = /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//y;

/** The offset after the following comma, if there is one. */
function commaAfter(text: string, offset: number): number | undefined {
  for (let at = offset; at < text.length; ) {
    INLINE_COMMENT.lastIndex = at;
    const comment = INLINE_COMMENT.exec(text);
    if (comment) at += comment[0].length;
    else if (/\s/.test(text[at] ?? "")) at++;
    else return text[at] === "," ? at + 1 : undefined;
  }
  return undefined;
}

/** The end of the comments on the rest of the line; the offset itself if anything else follows. */
function endOfComments(text: string, offset: number): number {
  let end = offset;
  for (let at = offset; at < text.length; ) {
    INLINE_COMMENT.lastIndex = at;
    const comment = INLINE_COMMENT.exec(text);
    if (comment) {
      if (comment[0].includes("\n")) return end;
      at += comment[0].length;
      end = at;
    } else if (text[at] === " " || text[at] === "\t") at++;
    else return text[at] === "\n" || text[at] === "\r" ? end : offset;
  }
  return end;
}

interface Style {
  readonly eol: string;
  readonly unit: string;
  readonly spaced: boolean;
}

function styleOf(text: string, root: Node): Style {
  const [first] = root.children ?? [];
  const indent = first && isSpread(text, root) ? indentAt(text, first.offset) : "";
  return {
    eol: eolOf(text),
    unit: indent === "" ? "  " : indent,
    spaced: !/"\s*:\S/.test(text),
  };
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** The indentation of the line. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** Whether the children are on separate lines. */
function isSpread(text: string, node: Node): boolean {
  const [first] = node.children ?? [];
  if (!first) return true;
  return text.slice(node.offset, first.offset).includes("\n");
}

function print(value: Value, style: Style, indent: string, spread: boolean): string {
  if (!spread) return printInline(value, style);
  return JSON.stringify(value, null, style.unit).replaceAll("\n", `${style.eol}${indent}`);
}

function printInline(value: Value, style: Style): string {
  if (!style.spaced) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((each) => printInline(each, style)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([name, each]) => `${JSON.stringify(name)}: ${printInline(each, style)}`,
    );
    return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
  }
  return JSON.stringify(value);
}
