import type { Source } from "../source.ts";

/** Rows of a table: its elements, or the lines of a template after its head. */
export function rowsIn({ code, closing }: Source, open: number, end: number): number {
  if (code[open] === "`") return Math.max(1, code.slice(open, end).split("\n").length - 3);
  const list = code.slice(open, end).search(/[[{]/);
  if (list === -1) return 1;
  const start = open + list;
  const stop = closing[start] ?? 0;
  let rows = 1;
  for (let at = start + 1; at < stop; at++) {
    // The last comma may have nothing after it.
    if (code[at] === "," && /\S/.test(code.slice(at + 1, stop))) rows++;
    if (/[[({]/.test(code[at] ?? "")) at = Math.max(at, closing[at] ?? 0);
  }
  return rows;
}
