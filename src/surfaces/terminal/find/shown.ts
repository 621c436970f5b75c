import { isStuck } from "../../../core/activity/session-state.ts";
import { addCosts, type CostSum } from "../../../core/cost/cost.ts";
import { DAY } from "../../../core/text/duration.ts";
import {
  BOARD_GROUPS,
  type Board,
  type BoardGroup,
  type BoardRow,
  lastChange,
} from "../../../core/views/board.ts";
import {
  type Filters,
  hasFilters,
  isUnproven,
  matchesFilters,
} from "../../../core/views/find/filters.ts";
import { scoreOf } from "./query.ts";

/** The orders of the sessions. */
export const SORTS = ["needs you", "recent", "cost"] as const;
export type Sort = (typeof SORTS)[number];

/** The user's choice of sessions and their order on the overview. */
export interface Choice {
  readonly filters: Filters;
  /** Words that were kept as chips. */
  readonly words: readonly string[];
  /** Show sessions that did not change for a day, too. */
  readonly older: boolean;
  /** Show only archived sessions. */
  readonly onlyArchived: boolean;
  readonly sort: Sort;
}

/** Sessions with a heading of their own; `group` is absent if sessions of all groups are mixed. */
export interface Section {
  readonly group?: BoardGroup;
  readonly rows: readonly BoardRow[];
}

/** The sessions that the overview shows. */
export interface Shown {
  readonly sections: readonly Section[];
  /** In display order. */
  readonly rows: readonly BoardRow[];
  /** The sessions that are recent enough, before filters. */
  readonly all: readonly BoardRow[];
  readonly counts: Readonly<Record<BoardGroup, number>>;
  /** How many of them loop or stall. */
  readonly stuck: number;
  /** How many of them are finished without proof. */
  readonly unproven: number;
  /** How many are hidden because they are older. */
  readonly older: number;
  /** Usage and cost of the sessions that are shown. */
  readonly cost: CostSum | undefined;
}

/** Whether the user narrowed the overview. */
export function isNarrowed({ filters, words }: Pick<Choice, "filters" | "words">): boolean {
  return words.length > 0 || hasFilters(filters);
}

const cache = new WeakMap<Board, { readonly key: string; readonly shown: Shown }>();

export function shownOf(board: Board, choice: Choice, now: number): Shown {
  const { filters, words, older, onlyArchived, sort } = choice;
  const key = JSON.stringify([filters, words, older, onlyArchived, sort]);
  const known = cache.get(board);
  if (known?.key === key) return known.shown;
  const shown = computeShown(board, choice, now);
  cache.set(board, { key, shown });
  return shown;
}

function computeShown(
  board: Board,
  { filters, words, older, onlyArchived, sort }: Choice,
  now: number,
): Shown {
  const everything = board.groups.flatMap(({ rows }) => rows);
  const all =
    older || onlyArchived ? everything : everything.filter((row) => now - lastChange(row) < DAY);
  const rows = all.filter(
    (row) =>
      matchesFilters(row, filters) && (words.length === 0 || scoreOf(row, words) !== undefined),
  );
  const sections =
    sort === "needs you"
      ? BOARD_GROUPS.map((group) => ({ group, rows: rows.filter((row) => row.group === group) }))
      : [{ rows: [...rows].sort(ORDERS[sort]) }];
  const filled = sections.filter((section) => section.rows.length > 0);
  const counts = { "needs you": 0, working: 0, idle: 0, finished: 0 };
  for (const { group } of all) counts[group]++;
  return {
    sections: filled,
    rows: filled.flatMap((section) => section.rows),
    all,
    counts,
    stuck: all.filter(({ state }) => isStuck(state)).length,
    unproven: all.filter(isUnproven).length,
    older: board.older + everything.length - all.length,
    // Computed on demand: of all rows, not only the drawn ones.
    get cost() {
      const costs = rows.flatMap(({ cost }) => (cost ? [cost.sum] : []));
      return costs.length === 0 ? undefined : costs.reduce(addCosts);
    },
  };
}

function byKey(a: BoardRow, b: BoardRow): number {
  return a.key < b.key ? -1 : 1;
}

const ORDERS: Readonly<Record<Exclude<Sort, "needs you">, typeof byKey>> = {
  recent: (a, b) => lastChange(b) - lastChange(a) || byKey(a, b),
  cost: (a, b) => (b.cost?.sum.nanos ?? -1) - (a.cost?.sum.nanos ?? -1) || byKey(a, b),
};
