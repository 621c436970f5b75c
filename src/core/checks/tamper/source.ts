import type { Language } from "./languages.ts";

/** A source file, with comments and strings blanked. All texts have the same length and lines. */
export interface Source {
  readonly raw: string;
  /** Without comments. */
  readonly plain: string;
  /** Without comments and without the contents of strings. */
  readonly code: string;
  /** Offset of the start of each line. */
  readonly lines: readonly number[];
  /** Offset of the closing bracket of each opening one; 0 if there is none. */
  readonly closing: Int32Array;
}

const BLANK = " ";
const FILLER = "_";
const REGEX_BEFORE = /(?:^|[(,=:[!&|?{};\n]|\breturn|\btypeof|\bcase)\s*$/;

/**
 * Reads a source in one pass. In a fragment of a file, brackets that are not closed end with it.
 */
export function readSource(raw: string, language: Language, isFragment = false): Source {
  const { plain, code } = mask(raw, language);
  return { raw, plain, code, lines: lineStarts(raw), closing: closingBrackets(code, isFragment) };
}

/** Line number of an offset, from 1. */
export function lineAt({ lines }: Pick<Source, "lines">, offset: number): number {
  let least = 0;
  let most = lines.length - 1;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if ((lines[middle] ?? 0) <= offset) least = middle;
    else most = middle - 1;
  }
  return least + 1;
}

/** Offsets at which lines start. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Characters that may start a comment or a string. */
const STARTS: Readonly<Record<Language, RegExp>> = {
  js: /["'`/]/g,
  python: /["'#]/g,
  go: /["'`/]/g,
  rust: /["'/]|(?<!\w)r(?=[#"])/g,
  jvm: /["'/]/g,
  csharp: /["'/]/g,
  ruby: /["'#]/g,
  php: /["'/#]/g,
  sh: /["'#]/g,
};

/** The text without comments (`plain`), and without the contents of strings too (`code`). */
export function mask(raw: string, language: Language): Pick<Source, "plain" | "code"> {
  const plain: string[] = [];
  const code: string[] = [];
  let copied = 0;
  const blanked = (from: number, to: number, filler: string) => {
    const text = raw.slice(from, to);
    return text.includes("\n") ? text.replace(/[^\n]/g, filler) : filler.repeat(text.length);
  };
  const copyTo = (end: number) => {
    const text = raw.slice(copied, end);
    plain.push(text);
    code.push(text);
    copied = end;
  };
  const start = new RegExp(STARTS[language].source, "g");
  for (let found = start.exec(raw); found; found = start.exec(raw)) {
    const at = found.index;
    const comment = commentEnd(raw, at, language);
    const quoted = comment > at ? undefined : stringAt(raw, at, language);
    if (comment > at) {
      copyTo(at);
      const text = blanked(at, comment, BLANK);
      plain.push(text);
      code.push(text);
      start.lastIndex = copied = comment;
    } else if (quoted) {
      start.lastIndex = quoted.end;
      if (quoted.from === quoted.to) continue;
      copyTo(quoted.from);
      plain.push(raw.slice(quoted.from, quoted.to));
      code.push(blanked(quoted.from, quoted.to, FILLER));
      copied = quoted.to;
    }
  }
  copyTo(raw.length);
  return { plain: plain.join(""), code: code.join("") };
}

const HASH = new Set<Language>(["python", "ruby", "sh"]);

function commentEnd(raw: string, at: number, language: Language): number {
  const first = raw[at];
  const toLineEnd = () => {
    const end = raw.indexOf("\n", at);
    return end === -1 ? raw.length : end;
  };
  if (first === "#") {
    if (HASH.has(language)) {
      const before = raw[at - 1];
      const starts = language === "python" || before === undefined || /\s/.test(before);
      return starts ? toLineEnd() : at;
    }
    return language === "php" && raw[at + 1] !== "[" ? toLineEnd() : at;
  }
  if (first !== "/" || HASH.has(language)) return at;
  if (raw[at + 1] === "/") return toLineEnd();
  if (raw[at + 1] !== "*") return at;
  const end = raw.indexOf("*/", at + 2);
  return end === -1 ? raw.length : end + 2;
}

interface Quoted {
  /** Start and end of the contents. */
  readonly from: number;
  readonly to: number;
  /** After the closing delimiter. */
  readonly end: number;
}

function stringAt(raw: string, at: number, language: Language): Quoted | undefined {
  const first = raw[at];
  if (first === "r" && language === "rust" && !/\w/.test(raw[at - 1] ?? "")) {
    const open = /^r(#{0,8})"/.exec(raw.slice(at, at + 12));
    return open ? upTo(raw, at + open[0].length, `"${open[1]}`) : undefined;
  }
  if (first === "/" && language === "js") return regexAt(raw, at);
  if (first !== '"' && first !== "'" && first !== "`") return undefined;
  if (first === "`")
    return language === "js"
      ? escaped(raw, at, "`", true)
      : language === "go"
        ? upTo(raw, at + 1, "`")
        : undefined;
  if (language === "python" || (language === "jvm" && first === '"')) {
    const three = first.repeat(3);
    if (raw.startsWith(three, at)) return upTo(raw, at + 3, three);
  }
  if (first === "'") {
    if (language === "rust") {
      const char = /^'(?:\\[^\n]{1,10}?|[^'\\\n]{1,2})'/.exec(raw.slice(at, at + 14));
      return char
        ? { from: at + 1, to: at + char[0].length - 1, end: at + char[0].length }
        : undefined;
    }
    if (language === "sh") return upTo(raw, at + 1, "'");
  }
  return escaped(raw, at, first, language === "sh" || language === "php" || language === "rust");
}

function upTo(raw: string, from: number, close: string): Quoted {
  const to = raw.indexOf(close, from);
  return to === -1
    ? { from, to: raw.length, end: raw.length }
    : { from, to, end: to + close.length };
}

/** A string with backslash escapes. An unclosed string ends with its line. */
function escaped(raw: string, at: number, quote: string, overLines: boolean): Quoted {
  let to = at + 1;
  while (to < raw.length && raw[to] !== quote) {
    if (raw[to] === "\n" && !overLines) return { from: at + 1, to, end: to };
    to += raw[to] === "\\" ? 2 : 1;
  }
  const end = Math.min(to, raw.length);
  return { from: at + 1, to: end, end: Math.min(end + 1, raw.length) };
}

function regexAt(raw: string, at: number): Quoted | undefined {
  if (!REGEX_BEFORE.test(raw.slice(Math.max(0, at - 20), at))) return undefined;
  let inClass = false;
  for (let to = at + 1; to < raw.length && raw[to] !== "\n"; to++) {
    if (raw[to] === "\\") to++;
    else if (raw[to] === "[") inClass = true;
    else if (raw[to] === "]") inClass = false;
    else if (raw[to] === "/" && !inClass) return { from: at + 1, to, end: to + 1 };
  }
  return undefined;
}

const [ROUND, SQUARE, CURLY] = [0x28, 0x5b, 0x7b];

/** The opening bracket of a closing one; the bracket itself if it opens; 0 for other characters. */
function openerOf(code: number): number {
  if (code === 0x29 || code === ROUND) return ROUND;
  if (code === 0x5d || code === SQUARE) return SQUARE;
  return code === 0x7d || code === CURLY ? CURLY : 0;
}

function closingBrackets(code: string, isFragment: boolean): Int32Array {
  const closing = new Int32Array(code.length);
  const open: number[] = [];
  for (let at = 0; at < code.length; at++) {
    const character = code.charCodeAt(at);
    const opener = openerOf(character);
    if (opener === 0) continue;
    if (opener === character) open.push(at);
    else if (open.length > 0 && code.charCodeAt(open[open.length - 1] ?? 0) === opener)
      closing[open.pop() ?? 0] = at;
  }
  if (isFragment) for (const at of open) closing[at] = code.length;
  return closing;
}

/** A text on one line with single spaces. */
export function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
