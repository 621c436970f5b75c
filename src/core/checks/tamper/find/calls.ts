import { type Source, squeezed } from "../source.ts";
import type { Found, Marker } from "./found.ts";
import { rowsIn } from "./rows.ts";

const TEST_CALL =
  /(?<![\w$.])([xf]?)(it|test|describe|suite|context|specify|Deno\.test|bench)((?:\.\w{1,20}){0,4})\s*(?=[(`])/g;
const GROUPS = new Set(["describe", "suite", "context"]);

export function findCalls(source: Source): readonly Found[] {
  const { code, plain, closing } = source;
  const found: Found[] = [];
  for (const match of code.matchAll(TEST_CALL)) {
    const [whole, prefix, word = "", modifiers = ""] = match;
    const offset = match.index;
    let open = offset + whole.length;
    let rows = 0;
    if (/\.(?:each|for)$/.test(modifiers)) {
      const table = tableEnd(source, open);
      rows = rowsIn(source, open, table);
      open = table;
      while (/\s/.test(code[open] ?? "")) open++;
    } else if (/\.(?:skipIf|runIf)$/.test(modifiers) && code[open] === "(") {
      open = (closing[open] ?? 0) + 1;
    }
    if (code[open] !== "(") continue;
    const to = closing[open] ?? 0;
    if (to === 0) continue;
    // The end of the call is not part of the fragment.
    const isCut = to === code.length;
    const name = firstArgument(source, open, to) ?? (isCut ? "" : undefined);
    // `test.skip(condition)` inside a test has no function of its own; `it.todo(name)` has none either.
    const rest = code.slice(open + 1, to);
    const isTodo = /\.todo\b/.test(modifiers);
    if (!isTodo && !isCut && !/=>|\bfunction\b|,\s*[\w$.]+\s*$/.test(rest)) continue;
    if (name === undefined) continue;
    const markers: Marker[] = [];
    const add = (type: Marker["type"], conditional = false) =>
      markers.push({ type, offset, conditional });
    if (prefix === "x" || /\.(?:skip|fixme|fails?|failing)\b/.test(modifiers)) add("skip");
    else if (prefix === "f" || /\.only\b/.test(modifiers)) add("only");
    else if (isTodo) add("todo");
    else if (/\.(?:skipIf|runIf)$/.test(modifiers)) {
      const condition = squeezed(plain.slice(offset + whole.length, open));
      add("skip", !/^\((?:true|1|false|0)\)$/.test(condition));
    }
    const options = /^[^{}()]{0,10}\{([^{}]{0,300})\}/.exec(
      code.slice(afterName(source, open, to), to),
    );
    const option = /\b(skip|todo|only|fails)\s*:(?!\s*false\b)/.exec(options?.[1] ?? "");
    if (option) add(option[1] === "only" ? "only" : option[1] === "todo" ? "todo" : "skip");
    const from = bodyStart(source, open, to);
    found.push({ name, group: GROUPS.has(word), offset, from, to, markers, rows });
  }
  return found;
}

/** After the table of a table-driven test: the end of a bracket or of a template. */
function tableEnd({ code, closing }: Source, open: number): number {
  if (code[open] === "(") return (closing[open] ?? 0) === 0 ? open : (closing[open] ?? 0) + 1;
  const end = code.indexOf("`", open + 1);
  return end === -1 ? open : end + 1;
}

function firstArgument({ code, plain }: Source, open: number, to: number): string | undefined {
  const start = open + 1 + (/^\s*/.exec(code.slice(open + 1, open + 500))?.[0].length ?? 0);
  const quote = code[start] ?? "";
  if (/["'`]/.test(quote)) {
    const end = code.indexOf(quote, start + 1);
    return end === -1 || end > to ? undefined : squeezed(plain.slice(start + 1, end));
  }
  const word = /^[\w$.]{1,100}/.exec(code.slice(start, start + 100))?.[0];
  return word !== undefined && code[start + word.length] === "," ? word : undefined;
}

function afterName({ code }: Source, open: number, to: number): number {
  const comma = code.indexOf(",", open);
  return comma === -1 || comma > to ? to : comma;
}

/** The body of the function that a test passes, without name and options. */
function bodyStart(source: Source, open: number, to: number): number {
  const from = afterName(source, open, to);
  const rest = source.code.slice(from, to);
  const start = /=>|\bfunction\b[^({]{0,80}\([^)]{0,300}\)/.exec(rest);
  return start ? from + start.index + start[0].length : from;
}
