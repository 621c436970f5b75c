import { type AttributedPart, attributedParts } from "../activity/session-usage.ts";
import { localTime } from "../text/clock.ts";
import { lastActive, type MergedTrack } from "../views/merged.ts";
import { titleOf } from "../views/title.ts";
import { addCosts, type CostSum, NO_COST, sumCosts } from "./cost.ts";
import type { Prices } from "./price.ts";
import { sessionsOf } from "./track-costs.ts";

export const COST_GROUPS = ["todo", "session", "agent", "project", "day"] as const;
export type CostGroup = (typeof COST_GROUPS)[number];

/** One line of a breakdown. The fields that are present depend on what it is broken down by. */
export interface CostRow {
  readonly session?: string;
  /** The id of the todo. */
  readonly todo?: string;
  /** The agent that has the todo in its list, if that is not the main agent. */
  readonly agent?: string;
  /** The text of the todo, or the title of the session. */
  readonly text?: string;
  readonly agentType?: string;
  /** The directory. */
  readonly project?: string;
  /** `2026-11-18`, in local time. */
  readonly day?: string;
  readonly sum: CostSum;
}

/** Usage and cost by todo, session, agent, project or day. Rows and `unattributed` add up to `total`. */
export interface CostBreakdown {
  readonly by: CostGroup;
  readonly total: CostSum;
  readonly rows: readonly CostRow[];
  /** Usage outside every todo; or of sessions whose agent, directory or time is not known. */
  readonly unattributed: CostSum;
  /** Models with tokens that have no known price; an empty string for a model that was not named. */
  readonly unpricedModels: readonly string[];
}

export interface BreakdownOptions {
  readonly by: CostGroup;
  readonly prices: Prices;
  /** Only usage from this time on, to the quarter of an hour. */
  readonly since?: number | undefined;
  /** An IANA time zone name, for days (default: the system's zone). */
  readonly timeZone?: string | undefined;
}

/** Breaks the usage of sessions down. `tracks` has all agents of each session. */
export function costBreakdown(
  tracks: readonly MergedTrack[],
  { by, prices, since = Number.NEGATIVE_INFINITY, timeZone }: BreakdownOptions,
): CostBreakdown {
  const found = new Map<string, RowParts>();
  const unattributedParts: AttributedPart[] = [];
  const unpricedModels = new Set<string>();
  const dayOf = days(timeZone);
  for (const { main, members } of sessionsOf(tracks)) {
    for (const part of attributedParts(members)) {
      if (part.at + QUARTER <= since) continue;
      const { model = "" } = part;
      if (!unpricedModels.has(model) && sumCosts([part], prices).unpriced > 0)
        unpricedModels.add(model);
      const keyed = rowOf(by, main, part, dayOf);
      const known = keyed && found.get(keyed.key);
      if (!keyed) unattributedParts.push(part);
      else if (known) known.parts.push(part);
      else found.set(keyed.key, { row: keyed.row, parts: [part] });
    }
  }
  const rows = [...found.values()].map(({ row, parts }) => ({
    ...row,
    sum: sumCosts(parts, prices),
  }));
  const unattributed = sumCosts(unattributedParts, prices);
  const sorted = inOrder(by, rows);
  return {
    by,
    rows: sorted,
    unattributed,
    total: sorted.reduce((sum, row) => addCosts(sum, row.sum), unattributed),
    unpricedModels: [...unpricedModels].sort(),
  };
}

const QUARTER = 15 * 60_000;

interface RowParts {
  readonly row: Omit<CostRow, "sum">;
  readonly parts: AttributedPart[];
}

interface KeyedRow {
  readonly key: string;
  readonly row: Omit<CostRow, "sum">;
}

/** The row that a part counts for; undefined if that is not known. */
function rowOf(
  by: CostGroup,
  main: MergedTrack,
  { at, todo, agent = "", text = "" }: AttributedPart,
  dayOf: (at: number) => string | undefined,
): KeyedRow | undefined {
  const { session, agentType, cwd } = main.track;
  const key = (...parts: readonly string[]) => JSON.stringify(parts);
  switch (by) {
    case "todo": {
      if (todo === undefined) return undefined;
      return {
        key: key(session, agent, todo),
        row: {
          session,
          todo,
          text,
          ...(agent !== main.track.agent && { agent }),
          ...(agentType !== undefined && { agentType }),
        },
      };
    }
    case "session":
      return {
        key: session,
        row: {
          session,
          text: titleOf(main),
          ...(agentType !== undefined && { agentType }),
          ...(cwd !== undefined && { project: cwd }),
        },
      };
    case "agent":
      return agentType === undefined ? undefined : { key: agentType, row: { agentType } };
    case "project":
      return cwd === undefined ? undefined : { key: cwd, row: { project: cwd } };
    case "day": {
      const day = dayOf(at);
      return day === undefined ? undefined : { key: day, row: { day } };
    }
  }
}

type Order = (a: CostRow, b: CostRow) => number;

const byText = (a = "", b = "") => (a < b ? -1 : a > b ? 1 : 0);

/** Ids of other forms follow the numbers. */
const byNumber = (a = "", b = "") => {
  const [one, other] = [a, b].map((id) => (/^\d+$/.test(id) ? Number(id) : MAX));
  return (one ?? MAX) - (other ?? MAX) || byText(a, b);
};

const MAX = Number.MAX_SAFE_INTEGER;

/** The most expensive first, then the most tokens. */
const byCost: Order = (a, b) =>
  b.sum.nanos - a.sum.nanos || b.sum.unpriced - a.sum.unpriced || byText(keyText(a), keyText(b));

const keyText = ({ session, agentType, project }: CostRow) => session ?? agentType ?? project;

/** Todos in the order of their lists, the most expensive session first; days from the first; others by cost. */
function inOrder(by: CostGroup, rows: readonly CostRow[]): readonly CostRow[] {
  if (by === "day") return rows.toSorted((a, b) => byText(a.day, b.day));
  if (by !== "todo") return rows.toSorted(byCost);
  const sessions = new Map<string | undefined, CostRow>();
  for (const { session = "", sum } of rows) {
    const known = sessions.get(session)?.sum ?? NO_COST;
    sessions.set(session, { session, sum: addCosts(known, sum) });
  }
  const bySession: Order = (a, b) => {
    const [one, other] = [sessions.get(a.session), sessions.get(b.session)];
    return one && other ? byCost(one, other) : 0;
  };
  return rows.toSorted(
    (a, b) => bySession(a, b) || byText(a.agent, b.agent) || byNumber(a.todo, b.todo),
  );
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** Local days as `2026-11-18`. Formatting is slow, and parts of an hour share their day. */
function days(timeZone: string | undefined): (at: number) => string | undefined {
  const known = new Map<number, string | undefined>();
  return (at) => {
    if (!known.has(at)) known.set(at, at > 0 ? isoDay(localTime(at, timeZone)?.day) : undefined);
    return known.get(at);
  };
}

function isoDay(day: string | undefined): string | undefined {
  if (day === undefined) return undefined;
  const [date = "", month = "", year = ""] = day.split(" ");
  const number = MONTHS.indexOf(month) / 3 + 1;
  return `${year}-${String(number).padStart(2, "0")}-${date.padStart(2, "0")}`;
}

/** When some tracks were opened and last active. */
export function timeSpan(tracks: readonly MergedTrack[]): { from: number; until: number } {
  const opened = tracks.map(({ track }) => track.openedAt).filter((at) => at > 0);
  return {
    from: opened.length === 0 ? 0 : Math.min(...opened),
    until: Math.max(0, ...tracks.map(lastActive)),
  };
}
