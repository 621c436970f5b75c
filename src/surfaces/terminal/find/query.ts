import { fuzzyMatch } from "../../../core/text/fuzzy.ts";
import { normalizeForSearch, searchTerms } from "../../../core/text/search.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import {
  type Filters,
  matchesFilters,
  NO_FILTERS,
  STATE_FILTERS,
} from "../../../core/views/find/filters.ts";
import { currentOf } from "../../../core/views/view.ts";
import { agentLook } from "../../text/agents.ts";

/** The parts of a filter line such as `refu @agent #ledger-api is:stuck`. */
export interface Query {
  /** Words that a session must all match. */
  readonly words: readonly string[];
  readonly agents: readonly string[];
  readonly projects: readonly string[];
  readonly states: readonly string[];
}

const STATE = "is:";

export function parseQuery(text: string): Query {
  const terms = searchTerms(text);
  const after = (lead: string) =>
    terms.filter((term) => term.startsWith(lead)).map((term) => term.slice(lead.length));
  return {
    words: terms.filter((term) => !/^[@#]|^is:/.test(term)),
    agents: after("@"),
    projects: after("#"),
    states: after(STATE),
  };
}

/** The filters of a query: every value that begins with or contains what was typed. */
export function filtersOf(query: Query, rows: readonly BoardRow[]): Filters {
  const distinct = (values: Iterable<string>) => [...new Set(values)];
  const chosen = (
    typed: readonly string[],
    values: readonly string[],
    isMeant: (value: string, part: string) => boolean,
  ): readonly string[] => {
    const parts = typed.filter((part) => part !== "");
    if (parts.length === 0) return [];
    const found = values.filter((value) => parts.some((part) => isMeant(value, part)));
    // A value that no session has, so that nothing matches.
    return found.length > 0 ? found : [`\0${parts.join(" ")}`];
  };
  const contains = (value: string, part: string) => normalizeForSearch(value).includes(part);
  return {
    agent: chosen(
      query.agents,
      distinct(rows.map(({ track }) => track.agentType ?? "")),
      (type, part) => {
        const { name, code } = agentLook(type);
        return contains(name, part) || contains(type, part) || code === part;
      },
    ),
    project: chosen(query.projects, distinct(rows.map(({ project }) => project)), contains),
    state: chosen(query.states, STATE_FILTERS, (value, part) =>
      value.replaceAll(" ", "-").startsWith(part.replaceAll("_", "-")),
    ),
  };
}

/** The filters of both: a session must match each of them. */
export function matchesAll(row: BoardRow, all: readonly Filters[]): boolean {
  return all.every((filters) => filters === NO_FILTERS || matchesFilters(row, filters));
}

/** The texts of a session that words are searched in, the most important first. */
export function textsOf({ title, project, track }: BoardRow): readonly string[] {
  const current = currentOf(track.todos);
  const { name, code } = agentLook(track.agentType);
  const doing = current ? [current.activeText ?? "", current.text] : [];
  return [title, project, name, code, ...doing];
}

/** The title counts more than other texts. */
const TITLE_BONUS = 5;

/** How well a session matches all words; undefined if it does not match one of them. */
export function scoreOf(row: BoardRow, words: readonly string[]): number | undefined {
  const texts = textsOf(row);
  let sum = 0;
  for (const word of words) {
    const scores = texts.flatMap((text, index) => {
      const match = fuzzyMatch(word, text);
      return match ? [match.score + (index === 0 ? TITLE_BONUS : 0)] : [];
    });
    if (scores.length === 0) return undefined;
    sum += Math.max(...scores);
  }
  return sum;
}
