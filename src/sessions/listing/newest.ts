import type { StallPolicy } from "../../core/activity/stall.ts";
import type { Track } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { parentKey } from "../../core/views/merged.ts";
import type { AnyTrack } from "../any-track.ts";
import { mergeTracks } from "../merge.ts";
import type { Roster } from "../transcripts/roster.ts";

/** Says of each of them whether it is the subagent of another. */
export function subagentsAmong(tracks: readonly AnyTrack[]): (each: AnyTrack) => boolean {
  const keys = new Set(tracks.map(({ track }) => trackKey(track)));
  const subagents = new Set(
    tracks.filter(({ track }) => parentKey(track, keys) !== undefined).map(({ track }) => track),
  );
  return ({ track }) => subagents.has(track);
}

/**
 * All agents of the newest sessions: so many that more than `count` of them are nobody's subagents
 * and nobody who is left out did anything later. Of most sessions it need only be known that they
 * are older.
 */
export function newestTracks(
  hosted: readonly Track[],
  roster: Pick<Roster, "latest" | "tracks">,
  now: number,
  count: number,
  policy?: StallPolicy,
): readonly AnyTrack[] {
  const latest = new Map(roster.latest());
  for (const { session, updatedAt } of hosted)
    latest.set(session, Math.max(updatedAt, latest.get(session) ?? updatedAt));
  // What our own list says of its parent goes before what the files say: these are looked at.
  const unclear = hosted.flatMap(({ session, parentAgent }) => (parentAgent ? session : []));
  for (const session of unclear) latest.delete(session);
  const sessions = [...latest].sort(([, a], [, b]) => b - a);
  for (let taken = count + 1; ; taken *= 2) {
    const chosen = new Set(sessions.slice(0, taken).map(([session]) => session));
    for (const session of unclear) chosen.add(session);
    const joined = mergeTracks(
      hosted.filter(({ session }) => chosen.has(session)),
      roster.tracks(chosen),
      now,
      policy,
    );
    const next = sessions[taken]?.[1];
    if (next === undefined) return joined;
    const isSubagent = subagentsAmong(joined);
    const sure = joined.filter((each) => each.updatedAt > next && !isSubagent(each));
    if (sure.length > count) return joined;
  }
}
