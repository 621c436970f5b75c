import { BOARD_GROUPS, type BoardGroup } from "../../../core/views/board.ts";
import { FILTERS, type FilterName, type Filters } from "../../../core/views/find/filters.ts";

const MAX_VALUES = 50;

/** Parses the query of the address. */
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
