import {
  isExpired,
  MUTE_KINDS,
  type Mute,
  type MuteKind,
  seenFindings,
  withMutes,
} from "../core/activity/mute.ts";
import { HOUR } from "../core/text/duration.ts";
import { isRecord } from "../core/values.ts";
import type { MergedTrack } from "../core/views/merged.ts";
import { userFile } from "./user-file.ts";

/** Beyond that, the oldest are forgotten: their findings are shown again. */
const MAX_MUTES = 2_000;

const FILE = userFile<readonly Mute[]>({
  name: "mutes.json",
  what: "mutes",
  parse: ({ mutes }) =>
    Array.isArray(mutes) ? mutes.flatMap((each: unknown) => muteOf(each) ?? []) : [],
  print: (mutes) => ({ mutes: mutes.slice(-MAX_MUTES) }),
});

function muteOf(value: unknown): Mute | undefined {
  if (!isRecord(value)) return undefined;
  const { session, kind, at, until, seen } = value;
  if (typeof session !== "string" || typeof at !== "number") return undefined;
  if (!MUTE_KINDS.includes(kind as MuteKind)) return undefined;
  if (until !== undefined && typeof until !== "number") return undefined;
  const isSeen = isRecord(seen) && Object.values(seen).every((key) => typeof key === "string");
  if (seen !== undefined && !isSeen) return undefined;
  return {
    session,
    kind: kind as MuteKind,
    at,
    ...(until !== undefined && { until }),
    ...(isSeen && { seen: seen as Record<string, string> }),
  };
}

/** The mutes of the user, oldest first. */
export const readMutes = FILE.read;
export const watchMutes = FILE.watch;

/** Adds or removes mutes of one session. */
export interface MuteChange {
  readonly session: string;
  readonly kinds: readonly MuteKind[];
  /** The mutes to add for these kinds; without them, the kinds are shown again. */
  readonly mutes?: readonly Mute[];
}

export function changeMutes(
  home: string,
  { session, kinds, mutes = [] }: MuteChange,
  now: number,
): Promise<void> {
  return FILE.change(home, (current) => [
    ...current.filter(
      (each) => !isExpired(each, now) && !(each.session === session && kinds.includes(each.kind)),
    ),
    ...mutes,
  ]);
}

/** Mutes findings when tracks are read. */
export type MuteFindings = <T extends MergedTrack>(
  tracks: readonly T[],
  now: number,
) => readonly T[];

export function openMutes(home: string): MuteFindings {
  const mutes = FILE.reader(home);
  return (tracks, now) => withMutes(tracks, mutes(), now);
}

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
