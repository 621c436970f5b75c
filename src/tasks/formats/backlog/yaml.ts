/**
 * The part of YAML that front matter uses: plain, quoted and block scalars, and lists. Anything else is
 * `undefined`, which readers report instead of guessing.
 */
export type YamlValue = string | readonly string[];

/** The value after `key:`, and the lines below it that belong to it. */
export function parseValue(first: string, more: readonly string[]): YamlValue | undefined {
  const head = first.trim();
  if (head === "" || head.startsWith("#")) return more.length === 0 ? "" : blockList(more);
  if (head.startsWith("[")) return flowList([head, ...more.map((each) => each.trim())].join(" "));
  if (/^[|>]/.test(head)) return blockScalar(head, more);
  if (/^["']/.test(head)) return quoted([head, ...more.map((each) => each.trim())].join(" "));
  if (/^[&*!{%@`]/.test(head)) return undefined;
  const plain = [head, ...more.map((each) => each.trim())].map(withoutComment).join(" ");
  return /: |:$/.test(plain) ? undefined : nullToEmpty(plain.trim());
}

/** The comment after a value on its own line, with the spaces before it. */
export function commentAfter(value: string): string {
  const isPlain = !/^\s*["'[]/.test(value);
  const end = isPlain ? 0 : Math.max(...['"', "'", "]"].map((mark) => value.lastIndexOf(mark))) + 1;
  return /(?<!\s)\s+#.*$/s.exec(value.slice(end))?.[0] ?? "";
}

function withoutComment(text: string): string {
  return text.replace(/(^|\s)#.*$/s, "").trimEnd();
}

function nullToEmpty(text: string): string {
  return /^(?:~|null|Null|NULL)$/.test(text) ? "" : text;
}

function blockList(lines: readonly string[]): readonly string[] | undefined {
  const items: string[] = [];
  for (let place = 0; place < lines.length; ) {
    const line = lines[place++] ?? "";
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const found = /^(\s*)-(?:\s+(?!\s)(.*))?$/.exec(line);
    if (!found) return undefined;
    const indent = found[1]?.length ?? 0;
    const begin = place;
    while (place < lines.length && isWithin(lines[place] ?? "", indent)) place++;
    const item = parseValue(found[2] ?? "", lines.slice(begin, place));
    if (typeof item !== "string") return undefined;
    if (item !== "") items.push(item);
  }
  return items;
}

function isWithin(line: string, indent: number): boolean {
  return line.trim() === "" || (/^ */.exec(line)?.[0].length ?? 0) > indent;
}

function flowList(text: string): readonly string[] | undefined {
  const inner = /^\[(.*)\]\s*(?:#.*)?$/s.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const items: string[] = [];
  let left = inner.trim();
  while (left !== "") {
    const found =
      /^(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*|([^,[\]{}"'][^,[\]{}]*))(?:,\s*|$)/.exec(left);
    const item = found && parseValue(found[1] ?? found[2] ?? "", []);
    if (!found || typeof item !== "string") return undefined;
    if (item !== "") items.push(item);
    left = left.slice(found[0].length);
  }
  return items;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\x1b",
  " ": " ",
  '"': '"',
  "/": "/",
  "\\": "\\",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};

function quoted(text: string): string | undefined {
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(text);
  if (single) return (single[1] ?? "").replaceAll("''", "'");
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text);
  if (!double) return undefined;
  let isBad = false;
  const value = (double[1] ?? "").replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/g,
    (_, x?: string, u?: string, U?: string, one?: string) => {
      const code = Number.parseInt(x ?? u ?? U ?? "", 16);
      if (one === undefined && code <= 0x10ffff) return String.fromCodePoint(code);
      const found = one === undefined ? undefined : ESCAPES[one];
      if (found === undefined) isBad = true;
      return found ?? "";
    },
  );
  return isBad ? undefined : value;
}

function blockScalar(head: string, lines: readonly string[]): string | undefined {
  const found = /^([|>])([+-]?)(\d?)([+-]?)\s*(?:#.*)?$/.exec(head);
  if (!found) return undefined;
  const filled = lines.filter((line) => line.trim() !== "");
  const indents = filled.map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = found[3] ? Number(found[3]) : Math.min(...indents);
  if (filled.length === 0) return "";
  if (indent === 0 || Math.min(...indents) < indent) return undefined;
  const texts = lines.map((line) => line.slice(indent));
  while (texts.at(-1) === "") texts.pop();
  if (found[1] === "|") return texts.join("\n");
  return texts
    .join("\n")
    .replace(/(\S)\n(?=\S)/g, "$1 ")
    .replace(/\n\n/g, "\n");
}

// Unquoted, these would be read as something else than the text.
const SPECIAL =
  /^(?:[-+.]?[\d.][\d_.,:eExXoO+-]*|[-+]?\.(?:inf|nan)|~|null|true|false|yes|no|on|off|y|n|0[xo][\da-f]+|\d{4}-\d\d-\d\d.*|=|<<)$/i;
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udfff]/u;

/** A text as a scalar that YAML 1.1 and 1.2 read as that text. */
export function printScalar(text: string): string {
  if (UNPRINTABLE.test(text))
    return `"${text.replace(/["\\]/g, "\\$&").replace(new RegExp(UNPRINTABLE, "gu"), codeOf)}"`;
  const isPlain =
    /^[\p{L}\p{N}(<./]/u.test(text) &&
    !/: |:$| #|\s$|^\.\.\.|[,[\]{}]/.test(text) &&
    !SPECIAL.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
