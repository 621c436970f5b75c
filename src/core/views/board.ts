import { isStuck, type SessionState } from "../activity/session-state.ts";
import { DAY } from "../text/duration.ts";
import { trackKey } from "../text/ids.ts";
import { isFound, searchWords } from "../text/search.ts";
import { byAppearance, type MergedTrack, parentKey, workedUntil } from "./merged.ts";
import { titleOf } from "./title.ts";
import { onDisplay, type View, viewOf } from "./view.ts";

export const GROUPS = ["needs you", "working", "idle", "finished"] as const;
export type Group = (typeof GROUPS)[number];

/** A track in its place on a board, with its subagents. */
export interface BoardRow extends MergedTrack {
  readonly key: string;
  readonly group: Group;
  readonly title: string;
  readonly project: string;
  readonly view: View;
  readonly children: readonly BoardRow[];
}

export interface Board {
  readonly groups: readonly { readonly group: Group; readonly rows: readonly BoardRow[] }[];
  readonly counts: Readonly<Record<Group, number>>;
  /** Of those that work, how many loop or stall. */
  readonly stuck: number;
  /** Tracks that are too old to be shown. */
  readonly older: number;
  /** Which kinds of agents there are, also those that are filtered out; the most frequent first. */
  readonly agentTypes: readonly string[];
}

export interface BoardOptions {
  readonly now: number;
  /** Words that must all be found in a track. */
  readonly search?: string;
  readonly only?: Group | undefined;
  readonly agentType?: string | undefined;
  /** Milliseconds for which a track without news stays; longer ones are counted only. */
  readonly keep?: number;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
}

export function boardOf(tracks: readonly MergedTrack[], options: BoardOptions): Board {
  const { now, search = "", only, agentType, keep = DAY, clearDelay = -1 } = options;
  const known = new Map(tracks.map((each) => [trackKey(each.track), each]));
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
    let view: View | undefined;
    return {
      ...each,
      key,
      group: GROUP_OF[each.state],
      title: titleOf(each),
      project: projectOf(each),
      // Of thousands of tracks a few are looked at.
      get view() {
        view ??= onDisplay(viewOf(each.track, now, clearDelay, workedUntil(each, now)));
        return view;
      },
      children: below.map(([child, other]) => rowOf(child, other, [...above, key])),
    };
  };
  const words = searchWords(search);
  const rows = main.map(([key, each]) => rowOf(key, each, []));
  const fresh = rows.filter((row) => words.length > 0 || now - newest(row) < keep);
  const isWanted = ({ track }: BoardRow) =>
    agentType === undefined || (track.agentType ?? "") === agentType;
  const found = fresh.filter((row) => isWanted(row) && words.every((word) => mentions(row, word)));
  const counts = { "needs you": 0, working: 0, idle: 0, finished: 0 };
  for (const { group } of found) counts[group]++;
  const groups = GROUPS.filter((group) => only === undefined || only === group)
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
    agentTypes: agentTypesOf(fresh),
  };
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

/** The group that a state is shown in. */
const GROUP_OF: Readonly<Record<SessionState, Group>> = {
  needs_you: "needs you",
  working: "working",
  stalled: "working",
  looping: "working",
  idle: "idle",
  ended: "idle",
  finished: "finished",
};

/** Sessions by group, as every headline counts them: without subagents and without old ones. */
export function countStates(
  tracks: readonly MergedTrack[],
  now: number,
): Pick<Board, "counts" | "stuck"> {
  const { counts, stuck } = boardOf(tracks, { now });
  return { counts, stuck };
}

/** Whether a plan waits for the user, rather than a permission or an answer. */
export function hasOpenPlan({ plan, state }: MergedTrack): boolean {
  return plan?.state === "proposed" && state === "needs_you";
}

/** Whoever is stuck first; then as it was opened, so that rows do not change places with each event. */
function byUrgency(a: BoardRow, b: BoardRow): number {
  const stuck = Number(isStuck(b.state)) - Number(isStuck(a.state));
  if (stuck !== 0) return stuck;
  if (a.group === "working" || a.group === "needs you")
    return b.track.openedAt - a.track.openedAt || (a.key < b.key ? -1 : 1);
  return newest(b) - newest(a) || (a.key < b.key ? -1 : 1);
}

function newest(row: BoardRow): number {
  return row.children.reduce((latest, child) => Math.max(latest, newest(child)), row.updatedAt);
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

/** `1 needs you, 2 stuck`; empty while nobody has to do anything. */
export function alarmWords({ counts, stuck }: Pick<Board, "counts" | "stuck">): string {
  const yours = counts["needs you"];
  return [
    ...(yours > 0 ? [`${yours} ${yours === 1 ? "needs" : "need"} you`] : []),
    ...(stuck > 0 ? [`${stuck} stuck`] : []),
  ].join(", ");
}

/** `1 needs you. 4 working, 2 of them stuck.` */
export function headline({ counts, stuck }: Pick<Board, "counts" | "stuck">): string {
  const working = counts.working;
  const parts = [
    ...(counts["needs you"] > 0
      ? [`${counts["needs you"]} ${counts["needs you"] === 1 ? "needs" : "need"} you.`]
      : []),
    ...(working > 0
      ? [
          `${working} working${stuck > 0 ? `, ${stuck === working ? "all" : stuck} of them stuck` : ""}.`,
        ]
      : []),
  ];
  if (parts.length > 0) return parts.join(" ");
  const { idle, finished } = counts;
  if (idle + finished === 0) return "No agent is here.";
  return `Nobody works. ${[...(idle > 0 ? [`${idle} idle`] : []), ...(finished > 0 ? [`${finished} finished`] : [])].join(", ")}.`;
}
