import { folded, searchWords } from "../text/search.ts";
import type { BoardRow } from "./board.ts";
import type { Row } from "./view.ts";

/** A place in a track that a search leads to. */
export interface Hit {
  readonly row: BoardRow;
  readonly kind: "track" | "todo" | "note" | "plan";
  readonly text: string;
  /** The todo that it is, or that has the note. */
  readonly todo?: Row;
}

/** At most so many are looked for: more than that nobody reads. */
const MAX_HITS = 200;

/** Everything that has all of the words, track by track. */
export function hitsOf(rows: readonly BoardRow[], search: string): readonly Hit[] {
  const words = searchWords(search);
  if (words.length === 0) return [];
  const has = (text: string): boolean => {
    const plain = folded(text);
    return words.every((word) => plain.includes(word));
  };
  const hits: Hit[] = [];
  const look = (row: BoardRow): void => {
    if (hits.length >= MAX_HITS) return;
    const found: Hit[] = row.view.rows.flatMap((todo) => [
      ...(has(todo.todo.text) ? [{ row, kind: "todo" as const, text: todo.todo.text, todo }] : []),
      ...(todo.todo.notes ?? [])
        .filter(has)
        .map((text) => ({ row, kind: "note" as const, text, todo })),
    ]);
    const line = row.plan?.text.split("\n").find(has);
    if (line !== undefined) found.push({ row, kind: "plan", text: line.trim() });
    const named = has(`${row.title} ${row.project} ${row.track.agentType ?? ""}`);
    if (found.length === 0 && named) found.push({ row, kind: "track", text: row.title });
    hits.push(...found);
    for (const child of row.children) look(child);
  };
  for (const row of rows) look(row);
  return hits.slice(0, MAX_HITS);
}
