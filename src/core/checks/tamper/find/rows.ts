import type { Source } from "../source.ts";

/** Rows of a table: its brackets of the second level, otherwise its commas or lines. */
export function rowsIn({ code, closing }: Source, open: number, end: number): number {
  if (code[open] === "`") return Math.max(1, code.slice(open, end).split("\n").length - 2);
  let rows = 0;
  const list = code.slice(open, end).search(/[[{]/);
  if (list === -1) return 1;
  const start = open + list;
  const stop = closing[start] ?? 0;
  let commas = 0;
  for (let at = start + 1; at < stop; at++) {
    if (code[at] === ",") commas++;
    if (!/[[({]/.test(code[at] ?? "")) continue;
    rows++;
    at = Math.max(at, closing[at] ?? 0);
  }
  return Math.max(rows, commas + 1);
}
