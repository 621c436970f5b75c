import { nearest } from "../../../core/text/nearest.ts";
import { normalizeForSearch } from "../../../core/text/search.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { type Filters, hasFilters, NO_FILTERS } from "../../../core/views/find/filters.ts";
import { type SearchHit, searchBoard } from "../../../core/views/search.ts";
import type { TaskCard } from "../../../tasks/rules/board.ts";
import type { BoardData, BoardState } from "../state.ts";
import { ORDER } from "../tasks-lines.ts";
import { filtersOf, matchesAll, parseQuery, scoreOf, textsOf } from "./query.ts";
import { shownOf } from "./shown.ts";

/** A selectable result of the filter line. `key` stays the same when results move. */
export type Hit =
  | { readonly kind: "session"; readonly key: string; readonly row: BoardRow }
  | { readonly kind: "todo"; readonly key: string; readonly hit: SearchHit }
  | { readonly kind: "task"; readonly key: string; readonly card: TaskCard };

/** The results of the filter line, from top to bottom. */
export interface Hits {
  readonly sessions: readonly Extract<Hit, { kind: "session" }>[];
  /** Todos, notes and plans. */
  readonly todos: readonly Extract<Hit, { kind: "todo" }>[];
  readonly tasks: readonly Extract<Hit, { kind: "task" }>[];
  readonly all: readonly Hit[];
  /** Number of sessions before the filter. */
  readonly total: number;
}

type Searched = Pick<
  BoardState,
  "search" | "filters" | "words" | "older" | "onlyArchived" | "sort"
>;

const MAX_TASKS = 50;

interface Known {
  readonly key: string;
  readonly tasks: BoardData["tasks"];
  readonly hits: Hits;
}

/** A frame asks for the same results several times. */
const cache = new WeakMap<BoardData["board"], Known>();

export function hitsOf(data: BoardData, state: Searched): Hits {
  const { search, filters, words, older, sort } = state;
  const key = JSON.stringify([search, filters, words, older, sort]);
  const known = cache.get(data.board);
  if (known?.key === key && known.tasks === data.tasks) return known.hits;
  const hits = computeHits(data, state);
  cache.set(data.board, { key, tasks: data.tasks, hits });
  return hits;
}

function computeHits(data: BoardData, state: Searched): Hits {
  const query = parseQuery(state.search);
  const { all: recent, rows } = shownOf(data.board, state, data.now);
  const found = matching(rows, query.words, filtersOf(query, rows));
  // Words that were kept as chips have to match as well.
  const words = [...state.words, ...query.words];
  const isBare = query.words.length === 0;
  const inside = filtersOf(query, rows);
  const sessions = found.map((row) => ({
    kind: "session" as const,
    key: `session ${row.key}`,
    row,
  }));
  const searched = recent.filter((row) => matchesAll(row, [state.filters, inside]));
  const todos = isBare
    ? []
    : searchBoard(searched, words.join(" "))
        .filter(({ kind }) => kind !== "track")
        .map((hit, index) => ({ kind: "todo" as const, key: todoKey(hit, index), hit }));
  const tasks =
    isBare || hasFilters(state.filters) || hasFilters(inside) ? [] : tasksOf(data, words);
  return { sessions, todos, tasks, all: [...sessions, ...todos, ...tasks], total: recent.length };
}

/** The sessions that match, the best first; in their own order if there are no words. */
function matching(
  rows: readonly BoardRow[],
  words: readonly string[],
  filters: Filters,
): readonly BoardRow[] {
  const left = rows.filter((row) => matchesAll(row, [filters]));
  if (words.length === 0) return left;
  return left
    .flatMap((row) => {
      const score = scoreOf(row, words);
      return score === undefined ? [] : [{ row, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ row }) => row);
}

function todoKey({ row, kind, text, todo }: SearchHit, index: number): string {
  return `${kind} ${row.key} ${todo?.todo.id ?? ""} ${kind === "note" ? text.slice(0, 80) : ""}${kind === "plan" ? index : ""}`;
}

function tasksOf({ tasks }: BoardData, words: readonly string[]): Hits["tasks"] {
  if (!tasks) return [];
  const cards = ORDER.flatMap((column) => tasks.columns[column]);
  const isFound = ({ task }: TaskCard): boolean => {
    const { id, subject, owner = "", labels = [], description = "" } = task;
    const text = normalizeForSearch([id, subject, owner, description, ...labels].join(" "));
    return words.every((word) => text.includes(word));
  };
  return cards
    .filter(isFound)
    .slice(0, MAX_TASKS)
    .map((card) => ({ kind: "task" as const, key: `task ${card.task.id}`, card }));
}

/** The selected result (default: the first). */
export function hitIndexOf({ all }: Hits, { hit }: Pick<BoardState, "hit">): number {
  return Math.max(
    0,
    all.findIndex(({ key }) => key === hit),
  );
}

/** Another filter that finds something. */
export interface Suggestion {
  readonly search: string;
  /** Without the chips and the `@`, `#` and `is:` parts. */
  readonly isWider: boolean;
  readonly older: boolean;
  /** Number of sessions that it finds. */
  readonly count: number;
}

/** Suggests another filter if nothing was found: a similar word, fewer filters, older sessions. */
export function suggestionOf(data: BoardData, state: Searched): Suggestion | undefined {
  const query = parseQuery(state.search);
  const everything = data.board.groups.flatMap(({ rows }) => rows);
  const known = vocabulary(everything);
  const corrected = query.words.map((word) =>
    everything.some((row) => scoreOf(row, [word]) !== undefined)
      ? word
      : (nearest(word, known) ?? word),
  );
  const rest = state.search.split(/\s+/).filter((term) => /^(?:[@#]|is:)/i.test(term));
  const isFiltered = hasFilters(state.filters) || state.words.length > 0 || rest.length > 0;
  for (const older of [state.older, true])
    for (const isWider of isFiltered ? [false, true] : [false])
      for (const words of [query.words, corrected]) {
        const search = [...words, ...(isWider ? [] : rest)].join(" ");
        const next = {
          ...state,
          search,
          older,
          ...(isWider && { filters: NO_FILTERS, words: [] }),
        };
        const { sessions, all } = computeHits(data, next);
        if (search !== "" && all.length > 0)
          return { search, isWider, older, count: sessions.length };
      }
  return undefined;
}

const MIN_WORD = 3;

function vocabulary(rows: readonly BoardRow[]): ReadonlySet<string> {
  const words = rows.flatMap((row) =>
    textsOf(row).flatMap((text) => normalizeForSearch(text).split(/[^\p{L}\p{N}]+/u)),
  );
  return new Set(words.filter((word) => word.length >= MIN_WORD));
}
