import { lineAt, type Source, squeezed } from "../source.ts";
import type { Found, Marker } from "./found.ts";
import { rowsIn } from "./rows.ts";

const PYTHON_DEF = /^([ \t]*)(?:async[ \t]+)?(?:def[ \t]+(test\w*)|class[ \t]+(\w+))[ \t]*[(:]/gm;
const PYTHON_SKIP =
  /^@(?:pytest\.mark\.|mark\.|unittest\.|nose\.tools\.)?(skip(?:if|If|Unless)?|xfail|expectedFailure)\b/;

export function findPython(source: Source): readonly Found[] {
  const { code, lines } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(PYTHON_DEF)) {
    const [, indent = "", test, group] = match;
    const line = lineAt(source, match.index) - 1;
    const { markers, rows } = pythonDecorators(source, line, indent);
    const name = test ?? group ?? "";
    if (test === undefined && !/^Test|Tests?$|TestCase/.test(name)) continue;
    const from = lines[line + 1] ?? code.length;
    const header = headerEnd(source, match.index + match[0].length - 1);
    const to = test === undefined ? from : indentedEnd(source, lineAt(source, header), indent);
    const start = Math.min(Math.max(header + 1, 0), to);
    found.push({
      name,
      group: test === undefined,
      offset: match.index + indent.length,
      from: Math.max(start, 0),
      to: Math.max(to, start),
      markers,
      rows,
    });
  }
  return found;
}

/** The colon at the end of a function's header. */
function headerEnd({ code, closing }: Source, open: number): number {
  if (code[open] !== "(") return open;
  const end = closing[open] || open;
  const colon = code.indexOf(":", end);
  const arrow = code.slice(end, colon === -1 ? end : colon);
  return colon === -1 || arrow.includes("\n\n") ? end : colon;
}

/** The end of the lines that are indented deeper, from a line on. */
function indentedEnd({ code, lines }: Source, line: number, indent: string): number {
  for (let at = line; at < lines.length; at++) {
    const start = lines[at] ?? 0;
    const text = code.slice(start, lines[at + 1] ?? code.length);
    if (text.trim() === "") continue;
    const depth = /^[ \t]*/.exec(text)?.[0].length ?? 0;
    if (depth <= indent.length) return start;
  }
  return code.length;
}

const MAX_DECORATORS = 60;

function pythonDecorators(source: Source, line: number, indent: string) {
  const { code, plain, lines, closing } = source;
  const markers: Marker[] = [];
  let rows = 0;
  for (let at = line - 1; at >= 0 && line - at < MAX_DECORATORS; at--) {
    const start = lines[at] ?? 0;
    const text = code.slice(start, (lines[at + 1] ?? code.length + 1) - 1);
    const own = text.slice(indent.length);
    if (text.trim() === "") break;
    if (!text.startsWith(indent) || (/^\S/.test(own) && !/^[@)\]}]/.test(own))) break;
    if (!own.startsWith("@")) continue;
    const offset = start + indent.length;
    const skip = PYTHON_SKIP.exec(own);
    if (skip) {
      const open = code.indexOf("(", offset);
      const argument =
        open !== -1 && open < offset + own.length && (closing[open] ?? 0) > 0
          ? squeezed(plain.slice(open + 1, closing[open]))
          : "";
      const word = skip[1] ?? "";
      const constant = /^(?:True|1|condition=True|False\b)/.test(argument);
      const conditional = /^skip(?:if|If|Unless)$/.test(word) && !constant;
      markers.push({ type: "skip", offset, conditional });
    }
    if (/^@(?:pytest\.mark\.)?parametrize\b|^@parameterized/.test(own)) {
      const open = code.indexOf("(", offset);
      const list = open === -1 ? -1 : code.indexOf("[", open);
      if (list !== -1 && list < (closing[open] ?? 0))
        rows += rowsIn(source, list, closing[list] ?? 0);
    }
  }
  return { markers, rows };
}

const RUBY_TEST =
  /^([ \t]*)(?:([xf]?)(it|specify|scenario|test|describe|context)[ \t(]+(["'])|def[ \t]+(test_\w+))/gm;

export function findRuby(source: Source): readonly Found[] {
  const { code, plain, lines } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(RUBY_TEST)) {
    const [whole, indent = "", prefix, word = "def", quote, method] = match;
    const start = match.index + whole.length;
    const end = quote === undefined ? start : code.indexOf(quote, start);
    const name = method ?? plain.slice(start, end === -1 ? start : end);
    const line = lineAt(source, match.index);
    const header = code.slice(start, lines[line] ?? code.length);
    const offset = match.index + indent.length;
    const markers: Marker[] = [];
    if (prefix === "x" || /\bskip:(?! *false)|, *:skip|\bpending:(?! *false)/.test(header))
      markers.push({ type: "skip", offset, conditional: false });
    if (prefix === "f" || /\bfocus: *true|, *:focus/.test(header))
      markers.push({ type: "only", offset, conditional: false });
    const group = word === "describe" || word === "context";
    const to = group ? start : indentedEnd(source, line, indent);
    found.push({
      name,
      group,
      offset,
      from: Math.min(lines[line] ?? code.length, to),
      to,
      markers,
    });
  }
  return found;
}
