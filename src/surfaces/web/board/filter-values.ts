import {
  BOARD_GROUPS,
  type Board,
  type BoardGroup,
  type BoardRow,
} from "../../../core/views/board.ts";

/** Names of the filters, as in the query of the address. */
export const FILTERS = ["agent", "project", "state"] as const;
export type FilterName = (typeof FILTERS)[number];
/** The chosen values of each filter; none chosen means any. */
export type Filters = Readonly<Record<FilterName, readonly string[]>>;

export const NO_FILTERS: Filters = { agent: [], project: [], state: [] };

const MAX_VALUES = 50;

export function parseFilters(query: string): Filters {
  const params = new URLSearchParams(query);
  const valuesOf = (name: FilterName) =>
    [...new Set(params.getAll(name))].filter((value) => value !== "").slice(0, MAX_VALUES);
  return {
    agent: valuesOf("agent"),
    project: valuesOf("project"),
    state: valuesOf("state").filter((value) => BOARD_GROUPS.includes(value as BoardGroup)),
  };
}

/** `?project=shop&state=working`; empty without filters. */
export function filtersQuery(filters: Filters): string {
  const params = new URLSearchParams();
  for (const name of FILTERS) for (const value of filters[name]) params.append(name, value);
  const query = params.toString();
  return query === "" ? "" : `?${query}`;
}

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

function valueIn({ track, project, group }: BoardRow, name: FilterName): string {
  return name === "agent" ? (track.agentType ?? "") : name === "project" ? project : group;
}

/** The groups of a board with the rows that match. */
export function filtered({ groups }: Board, filters: Filters): Board["groups"] {
  const matches = (row: BoardRow) =>
    FILTERS.every(
      (name) => filters[name].length === 0 || filters[name].includes(valueIn(row, name)),
    );
  return groups
    .map(({ group, rows }) => ({ group, rows: rows.filter(matches) }))
    .filter(({ rows }) => rows.length > 0);
}

/** The values to choose from, the most frequent first, with the chosen ones. */
export function choicesOf(
  { groups }: Board,
  filters: Filters,
  name: FilterName,
): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>(
    (name === "state" ? BOARD_GROUPS : filters[name]).map((value) => [value, 0]),
  );
  for (const { rows } of groups)
    for (const row of rows) {
      const value = valueIn(row, name);
      if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  const choices = [...counts].map(([value, count]) => ({ value, count }));
  if (name === "state") return choices;
  return choices.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}
