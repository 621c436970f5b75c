import { normalizeForSearch, searchTerms } from "../text/search.ts";
import type { BoardRow } from "./board.ts";
import type { Row } from "./view.ts";

/** A search result. */
export interface SearchHit {
  readonly row: BoardRow;
  readonly kind: "track" | "todo" | "note" | "plan";
  readonly text: string;
  /** The matching todo, or the todo with the matching note. */
  readonly todo?: Row;
}

/** More results are not useful. */
const MAX_HITS = 200;

/** Finds todos, notes, plans and tracks that contain all search terms, track by track. */
export function searchBoard(rows: readonly BoardRow[], search: string): readonly SearchHit[] {
  const words = searchTerms(search);
  if (words.length === 0) return [];
  const has = (text: string): boolean => {
    const plain = normalizeForSearch(text);
    return words.every((word) => plain.includes(word));
  };
  const hits: SearchHit[] = [];
  const look = (row: BoardRow): void => {
    if (hits.length >= MAX_HITS) return;
    const found: SearchHit[] = row.view.rows.flatMap((todo) => [
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
