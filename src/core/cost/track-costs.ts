import { attributedParts } from "../activity/session-usage.ts";
import type { TrackUsage } from "../activity/usage.ts";
import { MAIN_AGENT, trackKey } from "../text/ids.ts";
import { type MergedTrack, parentKey } from "../views/merged.ts";
import { addCosts, type CostSum, NO_COST, sumCosts } from "./cost.ts";
import type { Prices } from "./price.ts";

/** The agents of one session. */
export interface SessionTracks {
  /** The agent that the user talks to. */
  readonly main: MergedTrack;
  /** All agents, with the main one. */
  readonly members: readonly MergedTrack[];
}

/** Groups tracks by session. */
export function sessionsOf(tracks: readonly MergedTrack[]): readonly SessionTracks[] {
  const sessions = new Map<string, MergedTrack[]>();
  for (const each of tracks) {
    const members = sessions.get(each.track.session);
    if (members) members.push(each);
    else sessions.set(each.track.session, [each]);
  }
  return [...sessions.values()].flatMap((members) => {
    const main = mainOf(members);
    return main ? [{ main, members }] : [];
  });
}

function mainOf(members: readonly MergedTrack[]): MergedTrack | undefined {
  const keys = new Set(members.map(({ track }) => trackKey(track)));
  return (
    members.find(({ track }) => track.agent === MAIN_AGENT) ??
    members.find(({ track }) => parentKey(track, keys) === undefined) ??
    members[0]
  );
}

const known = new WeakMap<Prices, WeakMap<TrackUsage, CostSum>>();

/** Usage and cost of one track without its subagents. Remembered, because boards draw it every second. */
export function usageCost(usage: TrackUsage, prices: Prices): CostSum {
  let sums = known.get(prices);
  if (!sums) {
    sums = new WeakMap();
    known.set(prices, sums);
  }
  let sum = sums.get(usage);
  if (!sum) {
    sum = sumCosts(usage.parts, prices);
    sums.set(usage, sum);
  }
  return sum;
}

/** Usage and cost by todo of one agent, with that of its subagents. `tracks` has them all. */
export function todoCosts(
  agent: string,
  tracks: readonly MergedTrack[],
  prices: Prices,
): ReadonlyMap<string, CostSum> {
  const todos = new Map<string, CostSum>();
  for (const part of attributedParts(tracks)) {
    if (part.todo === undefined || part.agent !== agent) continue;
    const cost = sumCosts([part], prices);
    todos.set(part.todo, addCosts(todos.get(part.todo) ?? NO_COST, cost));
  }
  return todos;
}

/** Usage and cost of one track. */
export interface TrackCost {
  readonly own: CostSum;
  /** With the subagents that it started, and theirs. */
  readonly withSubagents: CostSum;
}

/** Usage and cost by track key; tracks that have no usage, and neither have their subagents, are missing. */
export function trackCosts(
  tracks: readonly MergedTrack[],
  prices: Prices,
): ReadonlyMap<string, TrackCost> {
  const parents = parentsOf(tracks);
  const costs = new Map<string, TrackCost>();
  for (const { track, usage } of tracks) {
    if (!usage || usage.parts.length === 0) continue;
    const own = usageCost(usage, prices);
    const key = trackKey(track);
    const below = costs.get(key)?.withSubagents ?? NO_COST;
    costs.set(key, { own, withSubagents: addCosts(below, own) });
    const seen = new Set([key]);
    for (let above = parents.get(key); above !== undefined && !seen.has(above); ) {
      const { own: theirs = NO_COST, withSubagents = NO_COST } = costs.get(above) ?? {};
      costs.set(above, { own: theirs, withSubagents: addCosts(withSubagents, own) });
      seen.add(above);
      above = parents.get(above);
    }
  }
  return costs;
}

/** A track and the subagents below it. */
export function subtree<T extends MergedTrack>(root: T, family: readonly T[]): readonly T[] {
  const parents = parentsOf(family);
  const top = trackKey(root.track);
  const isBelow = (key: string | undefined): boolean => {
    const seen = new Set<string>();
    for (let above = key; above !== undefined && !seen.has(above); above = parents.get(above)) {
      if (above === top) return true;
      seen.add(above);
    }
    return false;
  };
  return [root, ...family.filter((each) => each !== root && isBelow(trackKey(each.track)))];
}

function parentsOf(tracks: readonly MergedTrack[]): ReadonlyMap<string, string | undefined> {
  const keys = new Set(tracks.map(({ track }) => trackKey(track)));
  return new Map(tracks.map(({ track }) => [trackKey(track), parentKey(track, keys)]));
}
