import type { SessionState } from "./activity/session-state.ts";
import { WaymarkError } from "./error.ts";
import { parseDuration } from "./text/duration.ts";
import type { MergedTrack } from "./views/merged.ts";

/** A decision of the user about one session. */
export interface ArchiveEntry {
  readonly at: number;
  /** When the session last changed, as the user saw it. A later change ends the decision. */
  readonly seen: number;
  /** The user took the session out of the archive: it is not archived automatically either. */
  readonly kept?: true;
}

/** The user's decisions by session. */
export type Archive = ReadonlyMap<string, ArchiveEntry>;

/** A session that surfaces hide until it changes. */
export interface Archived {
  /** When the user archived it; absent if it was archived automatically. */
  readonly at?: number;
}

export interface ArchiveOptions {
  readonly now: number;
  /** Milliseconds without a change after which a session is archived; undefined for never. */
  readonly after?: number | undefined;
}

/** Whether a session that last changed at `latest` is archived. A session that waits for the user is never archived automatically. */
export function archivedOf(
  entry: ArchiveEntry | undefined,
  latest: number,
  needsUser: boolean,
  { now, after }: ArchiveOptions,
): Archived | undefined {
  const isCurrent = entry !== undefined && latest <= entry.seen;
  if (isCurrent) return entry.kept ? undefined : { at: entry.at };
  return after !== undefined && now - latest >= after && !needsUser ? {} : undefined;
}

/** Marks the tracks of archived sessions. All agents of a session are archived together. */
export function withArchive<T extends MergedTrack>(
  tracks: readonly T[],
  archive: Archive,
  options: ArchiveOptions,
): readonly T[] {
  if (archive.size === 0 && options.after === undefined) return tracks;
  const sessions = new Map<string, { latest: number; needsUser: boolean }>();
  for (const { track, updatedAt, state } of tracks) {
    const known = sessions.get(track.session);
    sessions.set(track.session, {
      latest: Math.max(updatedAt, known?.latest ?? 0),
      needsUser: isWaiting(state) || known?.needsUser === true,
    });
  }
  const archived = new Map<string, Archived>();
  for (const [session, { latest, needsUser }] of sessions) {
    const found = archivedOf(archive.get(session), latest, needsUser, options);
    if (found) archived.set(session, found);
  }
  if (archived.size === 0) return tracks;
  return tracks.map((each) => {
    const found = archived.get(each.track.session);
    return found ? { ...each, archived: found } : each;
  });
}

function isWaiting(state: SessionState): boolean {
  return state === "needs_you";
}

/** When each session of these tracks last changed. */
export function latestChanges(tracks: readonly MergedTrack[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { track, updatedAt } of tracks)
    latest.set(track.session, Math.max(updatedAt, latest.get(track.session) ?? 0));
  return latest;
}

/** The setting `WAYMARK_ARCHIVE_AFTER`; undefined if nothing is archived automatically. */
export function archiveAfter(
  env: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const given = env.WAYMARK_ARCHIVE_AFTER?.trim();
  if (!given || given === "off") return undefined;
  const after = parseDuration(given);
  if (after !== undefined) return after;
  throw new WaymarkError(
    "invalid_setting",
    `Invalid WAYMARK_ARCHIVE_AFTER ${JSON.stringify(given.slice(0, 40))}. Use a duration such as 12h or 7d, or off.`,
  );
}
