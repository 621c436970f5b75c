import type { StallPolicy } from "../../core/activity/stall.ts";
import type { Track } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { parentKey } from "../../core/views/merged.ts";
import type { AnyTrack } from "../any-track.ts";
import { mergeTracks } from "../merge.ts";
import type { Catalog } from "../transcripts/catalog.ts";

/** Returns a predicate: whether a track is the subagent of another one in `tracks`. */
export function subagentsAmong(tracks: readonly AnyTrack[]): (each: AnyTrack) => boolean {
  const keys = new Set(tracks.map(({ track }) => trackKey(track)));
  const subagents = new Set(
    tracks.filter(({ track }) => parentKey(track, keys) !== undefined).map(({ track }) => track),
  );
  return ({ track }) => subagents.has(track);
}

/**
 * All agents of the newest sessions: enough for more than `count` main agents that are not archived, none of which is
 * older than a track that is left out. Most sessions are not merged: it is enough to know that they are older.
 */
export function newestTracks(
  hosted: readonly Track[],
  roster: Pick<Catalog, "latest" | "tracks">,
  now: number,
  count: number,
  policy?: StallPolicy,
  markArchived: (tracks: readonly AnyTrack[]) => readonly AnyTrack[] = (tracks) => tracks,
): readonly AnyTrack[] {
  const latest = new Map(roster.latest());
  for (const { session, updatedAt } of hosted)
    latest.set(session, Math.max(updatedAt, latest.get(session) ?? updatedAt));
  // Our own record of a parent takes precedence over the files, so these sessions are always merged.
  const unclear = hosted.flatMap(({ session, parentAgent }) => (parentAgent ? session : []));
  for (const session of unclear) latest.delete(session);
  const sessions = [...latest].sort(([, a], [, b]) => b - a);
  for (let taken = count + 1; ; taken *= 2) {
    const chosen = new Set(sessions.slice(0, taken).map(([session]) => session));
    for (const session of unclear) chosen.add(session);
    const merged = markArchived(
      mergeTracks(
        hosted.filter(({ session }) => chosen.has(session)),
        roster.tracks(chosen),
        now,
        policy,
      ),
    );
    const next = sessions[taken]?.[1];
    if (next === undefined) return merged;
    const isSubagent = subagentsAmong(merged);
    const sure = merged.filter(
      (each) => each.updatedAt > next && !each.archived && !isSubagent(each),
    );
    if (sure.length > count) return merged;
  }
}
