import { isStuck, type SessionState } from "../activity/session-state.ts";
import { addCosts, type CostSum } from "../cost/cost.ts";
import type { Prices } from "../cost/price.ts";
import { todoCosts, usageCost } from "../cost/track-costs.ts";
import { DAY } from "../text/duration.ts";
import { trackKey } from "../text/ids.ts";
import { isFound, searchTerms } from "../text/search.ts";
import { byAppearance, type MergedTrack, parentKey, workedUntil } from "./merged.ts";
import { titleOf } from "./title.ts";
import { onDisplay, type View, viewOf } from "./view.ts";

export const BOARD_GROUPS = ["needs you", "working", "idle", "finished"] as const;
export type BoardGroup = (typeof BOARD_GROUPS)[number];

/** A row of the board: a track with its subagents. */
export interface BoardRow extends MergedTrack {
  /** The track of the row: the same object until it changes. */
  readonly source: MergedTrack;
  readonly key: string;
  readonly group: BoardGroup;
  readonly title: string;
  readonly project: string;
  readonly view: View;
  readonly children: readonly BoardRow[];
  /** Usage and cost, with those of subagents; absent if none is recorded or prices were not given. */
  readonly cost?: RowCost | undefined;
}

export interface RowCost {
  readonly sum: CostSum;
  /** By id of the todo. */
  readonly todos: () => ReadonlyMap<string, CostSum>;
}

export interface Board {
  readonly groups: readonly { readonly group: BoardGroup; readonly rows: readonly BoardRow[] }[];
  readonly counts: Readonly<Record<BoardGroup, number>>;
  /** How many of the working sessions loop or stall. */
  readonly stuck: number;
  /** Number of tracks that are too old to be shown. */
  readonly older: number;
  /** Number of archived sessions. */
  readonly archived: number;
  /** The agent types, including filtered ones, the most frequent first. */
  readonly agentTypes: readonly string[];
  /** Usage and cost of the sessions that are shown; absent if none is recorded or prices were not given. */
  readonly cost?: CostSum | undefined;
}

export interface BoardOptions {
  readonly now: number;
  /** Search terms that a track must all contain. */
  readonly search?: string;
  readonly only?: BoardGroup | undefined;
  readonly agentType?: string | undefined;
  /** Milliseconds for which an unchanged track is shown (default: a day). Older tracks are only counted. */
  readonly keep?: number;
  /** Archived sessions: left out (default), only they, whatever their age, or all sessions. */
  readonly archived?: "hidden" | "only" | "all";
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
  /** Prices of models; without them, rows have no cost. */
  readonly prices?: Prices | undefined;
}

export function boardOf(tracks: readonly MergedTrack[], options: BoardOptions): Board {
  const { now, search = "", only, agentType, clearDelay = -1, prices } = options;
  const { archived: which = "hidden" } = options;
  const keep = which === "only" ? Number.POSITIVE_INFINITY : (options.keep ?? DAY);
  const known = new Map(tracks.map((each) => [factsOf(each).key, each]));
  const children = new Map<string, [string, MergedTrack][]>();
  const main: [string, MergedTrack][] = [];
  for (const [key, each] of known) {
    const parent = parentKey(each.track, known);
    const family = parent === undefined ? main : (children.get(parent) ?? []);
    family.push([key, each]);
    if (parent !== undefined) children.set(parent, family);
  }
  const rowOf = (key: string, each: MergedTrack, above: readonly string[]): BoardRow => {
    const below = (children.get(key) ?? [])
      .filter(([child]) => child !== key && !above.includes(child))
      .sort(([, a], [, b]) => byAppearance(a, b));
    const rows = below.map(([child, other]) => rowOf(child, other, [...above, key]));
    let view: View | undefined;
    let cost: RowCost | undefined | null = null;
    return {
      ...each,
      source: each,
      ...factsOf(each),
      // Computed on demand: of thousands of tracks, only a few are drawn.
      get view() {
        view ??= onDisplay(viewOf(each.track, now, clearDelay, workedUntil(each, now)));
        return view;
      },
      children: rows,
      get cost() {
        if (cost === null) cost = prices && rowCost(each, rows, prices);
        return cost;
      },
    };
  };
  const words = searchTerms(search);
  const archived = main.filter(([, each]) => each.archived);
  const chosen =
    which === "all"
      ? main
      : which === "only"
        ? archived
        : main.filter(([, each]) => !each.archived);
  const rows = chosen.map(([key, each]) => rowOf(key, each, []));
  const fresh = rows.filter((row) => words.length > 0 || now - lastChange(row) < keep);
  const isWanted = ({ track }: BoardRow) =>
    agentType === undefined || (track.agentType ?? "") === agentType;
  const found = fresh.filter((row) => isWanted(row) && words.every((word) => mentions(row, word)));
  const counts = { "needs you": 0, working: 0, idle: 0, finished: 0 };
  for (const { group } of found) counts[group]++;
  const groups = BOARD_GROUPS.filter((group) => only === undefined || only === group)
    .map((group) => ({
      group,
      rows: found.filter((row) => row.group === group).sort(byUrgency),
    }))
    .filter((each) => each.rows.length > 0);
  return {
    groups,
    counts,
    stuck: found.filter(({ state }) => isStuck(state)).length,
    older: rows.length - fresh.length,
    archived: archived.length,
    agentTypes: agentTypesOf(fresh),
    // Computed on demand: of all rows, not only the drawn ones.
    get cost() {
      return costOfRows(groups.flatMap((group) => group.rows));
    },
  };
}

/** Whether a row of a later board shows the same, apart from times. */
export function isSameRow(a: BoardRow, b: BoardRow): boolean {
  return (
    a.source === b.source &&
    a.children.length === b.children.length &&
    a.children.every((child, index) => isSameRow(child, b.children[index] as BoardRow))
  );
}

type RowFacts = Pick<BoardRow, "key" | "group" | "title" | "project">;

const rowFacts = new WeakMap<MergedTrack, RowFacts>();

/** Remembered, because boards of hundreds of tracks are computed with every update. */
function factsOf(each: MergedTrack): RowFacts {
  let facts = rowFacts.get(each);
  if (!facts) {
    facts = {
      key: trackKey(each.track),
      group: GROUP_OF[each.state],
      title: titleOf(each),
      project: projectOf(each),
    };
    rowFacts.set(each, facts);
  }
  return facts;
}

/** The cost of a session or of a subagent, with the subagents below it. */
function rowCost(
  each: MergedTrack,
  children: readonly BoardRow[],
  prices: Prices,
): RowCost | undefined {
  const family = [each, ...children.flatMap(withDescendants)];
  const sums = family.flatMap(({ usage }) => (usage ? [usageCost(usage, prices)] : []));
  if (sums.length === 0) return undefined;
  return { sum: sums.reduce(addCosts), todos: () => todoCosts(each.track.agent, family, prices) };
}

function withDescendants(row: BoardRow): readonly BoardRow[] {
  return [row, ...row.children.flatMap(withDescendants)];
}

function costOfRows(rows: readonly BoardRow[]): CostSum | undefined {
  const costs = rows.flatMap(({ cost }) => (cost ? [cost.sum] : []));
  return costs.length === 0 ? undefined : costs.reduce(addCosts);
}

function agentTypesOf(rows: readonly BoardRow[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { track } of rows) {
    const type = track.agentType ?? "";
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([type]) => type);
}

/** The group of each state. */
const GROUP_OF: Readonly<Record<SessionState, BoardGroup>> = {
  needs_you: "needs you",
  working: "working",
  stalled: "working",
  looping: "working",
  idle: "idle",
  ended: "idle",
  finished: "finished",
};

/** Counts sessions by group, without subagents and old sessions. */
export function countStates(
  tracks: readonly MergedTrack[],
  now: number,
): Pick<Board, "counts" | "stuck"> {
  const { counts, stuck } = boardOf(tracks, { now });
  return { counts, stuck };
}

/** Whether the session waits for a decision on a plan. */
export function hasOpenPlan({ plan, state }: MergedTrack): boolean {
  return plan?.state === "proposed" && state === "needs_you";
}

/** Stuck sessions first. Active ones are sorted by start time, so that rows do not move with each event. */
function byUrgency(a: BoardRow, b: BoardRow): number {
  const stuck = Number(isStuck(b.state)) - Number(isStuck(a.state));
  if (stuck !== 0) return stuck;
  if (a.group === "working" || a.group === "needs you")
    return b.track.openedAt - a.track.openedAt || (a.key < b.key ? -1 : 1);
  return lastChange(b) - lastChange(a) || (a.key < b.key ? -1 : 1);
}

/** When the session or one of its subagents last changed. */
export function lastChange(row: BoardRow): number {
  return row.children.reduce((latest, child) => Math.max(latest, lastChange(child)), row.updatedAt);
}

function projectOf({ track: { cwd } }: MergedTrack): string {
  return cwd?.split(/[/\\]/).findLast((part) => part !== "") ?? "";
}

function mentions(row: BoardRow, word: string): boolean {
  const { track, title, project, plan, children } = row;
  const texts = [
    title,
    project,
    track.agentType ?? "",
    track.session,
    plan?.text ?? "",
    ...track.todos.flatMap(({ text, notes = [], phase = "" }) => [text, phase, ...notes]),
  ];
  return isFound(word, texts) || children.some((child) => mentions(child, word));
}

/** `1 needs you, 2 stuck`; empty if nothing needs attention. */
export function alarmText({ counts, stuck }: Pick<Board, "counts" | "stuck">): string {
  const yours = counts["needs you"];
  return [
    ...(yours > 0 ? [`${yours} ${yours === 1 ? "needs" : "need"} you`] : []),
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
  ].join(", ");
}

function stuckText(working: number, stuck: number): string {
  if (stuck === 0) return "";
  if (stuck < working) return ` (${stuck} stuck)`;
  return working === 1 ? " (stuck)" : " (all stuck)";
}

/** `1 needs you. 4 working (2 stuck).` */
export function headline(
  { counts, stuck }: Pick<Board, "counts" | "stuck">,
  /** How many of the finished sessions have todos without proof. */
  unproven = 0,
): string {
  const working = counts.working;
  const parts = [
    ...(counts["needs you"] > 0
      ? [`${counts["needs you"]} ${counts["needs you"] === 1 ? "needs" : "need"} you.`]
      : []),
    ...(working > 0 ? [`${working} working${stuckText(working, stuck)}.`] : []),
  ];
  if (parts.length > 0)
    return [...parts, ...(unproven > 0 ? [`${unproven} finished unproven.`] : [])].join(" ");
  const { idle, finished } = counts;
  if (idle + finished === 0) return "No agents.";
  return `No agent is working. ${[...(idle > 0 ? [`${idle} idle`] : []), ...(finished > 0 ? [`${finished} finished${unproven > 0 ? ` (${unproven} unproven)` : ""}`] : [])].join(", ")}.`;
}
