import { MUTE_KINDS, type Mute, type MuteKind, seenFindings } from "../../core/activity/mute.ts";
import { HOUR } from "../../core/text/duration.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { changeMutes } from "./file.ts";

/** How long findings are muted: a number of milliseconds, until they change, or as long as the session. */
export type MuteLength = number | "change" | "session";

/** The choices of a page. */
export const MUTE_LENGTHS = { hour: HOUR, change: "change", session: "session" } as const;

/**
 * Mutes findings of a session, in all its agents. Returns the kinds that were muted. Until they change, that is only
 * possible for findings that the session has now.
 */
export async function muteFindings(
  home: string,
  family: readonly MergedTrack[],
  { length, kinds = MUTE_KINDS }: { length: MuteLength; kinds?: readonly MuteKind[] },
  now: number,
): Promise<readonly MuteKind[]> {
  const session = family[0]?.track.session;
  if (session === undefined) return [];
  const present = seenFindings(family);
  const mutes = kinds.flatMap((kind): readonly Mute[] => {
    const mute = { session, kind, at: now };
    if (length === "session") return [mute];
    if (length !== "change") return [{ ...mute, until: now + length }];
    const seen = present.get(kind);
    return seen ? [{ ...mute, seen }] : [];
  });
  const muted = mutes.map(({ kind }) => kind);
  if (muted.length > 0) await changeMutes(home, { session, kinds: muted, mutes }, now);
  return muted;
}
