import { isStuck } from "../../activity/session-state.ts";
import { BOARD_GROUPS, type Board, type BoardRow } from "../board.ts";
import { progressOf } from "../view.ts";

export const FILTERS = ["agent", "project", "state"] as const;
export type FilterName = (typeof FILTERS)[number];
/** The chosen values of each filter; none chosen means any. */
export type Filters = Readonly<Record<FilterName, readonly string[]>>;

export const NO_FILTERS: Filters = { agent: [], project: [], state: [] };

/** The values of the filter `state`: the groups of the board, and two parts of them. */
export const STATE_FILTERS = [...BOARD_GROUPS, "stuck", "unproven"] as const;
export type StateFilter = (typeof STATE_FILTERS)[number];

export function hasFilters(filters: Filters): boolean {
  return FILTERS.some((name) => filters[name].length > 0);
}

export function toggled(filters: Filters, name: FilterName, value: string): Filters {
  const values = filters[name];
  const next = values.includes(value)
    ? values.filter((each) => each !== value)
    : [...values, value];
  return { ...filters, [name]: next };
}

/** Whether the session is finished, and some completed todo is neither verified nor reproduced. */
export function isUnproven({ group, track }: Pick<BoardRow, "group" | "track">): boolean {
  if (group !== "finished") return false;
  const { completed, verified } = progressOf(track.todos);
  return verified < completed;
}

function hasValue(row: BoardRow, name: FilterName, value: string): boolean {
  if (name === "state" && value === "stuck") return isStuck(row.state);
  if (name === "state" && value === "unproven") return isUnproven(row);
  return valueIn(row, name) === value;
}

function valueIn({ track, project, group }: BoardRow, name: FilterName): string {
  return name === "agent" ? (track.agentType ?? "") : name === "project" ? project : group;
}

export function matchesFilters(row: BoardRow, filters: Filters): boolean {
  return FILTERS.every(
    (name) =>
      filters[name].length === 0 || filters[name].some((value) => hasValue(row, name, value)),
  );
}

/** The groups of a board with the rows that match. */
export function filtered({ groups }: Pick<Board, "groups">, filters: Filters): Board["groups"] {
  return groups
    .map(({ group, rows }) => ({ group, rows: rows.filter((row) => matchesFilters(row, filters)) }))
    .filter(({ rows }) => rows.length > 0);
}

export interface FilterChoice {
  readonly value: string;
  /** How many sessions have it. */
  readonly count: number;
}

/** The values to choose from, the most frequent first, with the chosen ones. */
export function choicesOf(
  { groups }: Pick<Board, "groups">,
  filters: Filters,
  name: FilterName,
  states: readonly StateFilter[] = BOARD_GROUPS,
): readonly FilterChoice[] {
  const rows = groups.flatMap((each) => each.rows);
  if (name === "state")
    return states.map((value) => ({
      value,
      count: rows.filter((row) => hasValue(row, name, value)).length,
    }));
  const counts = new Map<string, number>(filters[name].map((value) => [value, 0]));
  for (const row of rows) {
    const value = valueIn(row, name);
    if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
