import { proofsVersion, provenSessions, readProofs } from "../checks/proofs.ts";
import type { Activity } from "../core/activity/activity.ts";
import { type ProofRecord, withProofs } from "../core/checks/proof.ts";
import type { Track } from "../core/model.ts";
import { type Transition, withProofRows } from "../core/views/history.ts";
import type { MergedTrack } from "../core/views/merged.ts";
import type { ReadList } from "./read-list.ts";

/** Adds recorded proofs to tracks. */
export type AddProofs = <T extends MergedTrack>(tracks: readonly T[]) => readonly T[];

/**
 * Costs one `stat` while nothing changes, and reads only the records of sessions that have some. While proofs cannot be
 * read, tracks have those that were read before.
 */
export function openProofs(home: string): AddProofs {
  let version: string | undefined;
  let hasProofs: (session: string) => boolean = () => false;
  let known = new WeakMap<Track, Added>();
  const refresh = (): boolean => {
    const now = proofsVersion(home);
    if (now !== version) {
      hasProofs = now === "" ? () => false : provenSessions(home);
      known = new WeakMap();
      version = now;
    }
    return now !== "";
  };
  const add = <T extends MergedTrack>(each: T): T => {
    const { track, activity = track.activity } = each;
    if (!hasProofs(track.session)) return each;
    const before = known.get(track);
    if (before?.edits === activity?.edits && before) return { ...each, track: before.track };
    const added = withProofs(track, readProofs(home, track.session), activity);
    known.set(track, { edits: activity?.edits, track: added });
    return { ...each, track: added };
  };
  /** Adds the proofs that were read before. */
  const addKnown = <T extends MergedTrack>(each: T): T => {
    const track = known.get(each.track)?.track;
    return track ? { ...each, track } : each;
  };
  return (tracks) => {
    try {
      return refresh() ? tracks.map(add) : tracks;
    } catch (error) {
      if (version === undefined) throw error;
      return tracks.map(addKnown);
    }
  };
}

interface Added {
  readonly edits: Activity["edits"];
  readonly track: Track;
}

/** A list whose tracks and history have the recorded proofs. `activity` is that of the agent's own files. */
export function withProofsOf(home: string, list: ReadList, activity?: Activity): ReadList {
  const { session, agent } = list.id;
  const records = (): readonly ProofRecord[] =>
    proofsVersion(home) === ""
      ? []
      : readProofs(home, session).filter(({ id }) => id.agent === agent);
  return {
    ...list,
    read: async () => {
      const track = await list.read();
      const known = records();
      const seen = activity ?? track.activity;
      const isUnsure = known.some(({ at }) => at < (seen?.unreadUntil ?? 0));
      const full = isUnsure ? await list.readInFull?.() : undefined;
      return withProofs(track, known, full?.live.activity ?? seen);
    },
    at: async (time) => {
      const track = await list.at(time);
      return withProofs(
        track,
        records().filter(({ at }) => at <= time),
      );
    },
    history: async (): Promise<readonly Transition[]> =>
      withProofRows(await list.history(), records()),
  };
}
