import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { AnyTrack } from "../any-track.ts";
import { openSources, type SessionsCall } from "../sources.ts";
import { newestTracks, subagentsAmong } from "./newest.ts";

const NEWEST = 20;

export interface ListedSessions {
  /** Newest first, with their subagents. */
  readonly tracks: readonly AnyTrack[];
  /** Keys of those that are subagents. */
  readonly subagents: ReadonlySet<string>;
  /** Whether there are more sessions than listed. */
  readonly more: boolean;
  /** Number of sessions that are not listed because they are archived. */
  readonly archived: number;
}

export interface ListOptions {
  /** All sessions, not only the newest; archived ones too. */
  readonly all?: boolean | undefined;
  /** Only archived sessions, all of them. */
  readonly archived?: boolean | undefined;
  /** Only those of this directory. */
  readonly cwd?: string | undefined;
  /** The home directory of another user, without our own lists. */
  readonly home?: string | undefined;
  /** The shared server (default: WAYMARK_STORE). */
  readonly store?: string | undefined;
}

/** Every track of all sources, read once. */
export async function listSessions(
  call: SessionsCall,
  { all: isAll = false, archived: onlyArchived = false, cwd, home, store }: ListOptions,
  now: number,
): Promise<ListedSessions> {
  const all = isAll || onlyArchived;
  const sources = openSources(call, { userHome: home, store });
  const { roster } = (await sources.transcripts.readAll()).snapshot;
  const hosted = (await sources.hosted?.list()) ?? [];
  const policy = stallPolicyFromEnv(call.env);
  const mark = (tracks: readonly AnyTrack[]) => sources.archive.add(tracks, now);
  const own =
    all || cwd !== undefined
      ? sources.merge(hosted, roster.tracks(), [], now)
      : sources.mute(
          sources.addProofs(newestTracks(hosted, roster, now, NEWEST, policy, mark)),
          now,
        );
  const elsewhere = sources.remote ? sources.merge([], [], await sources.remote.list(), now) : [];
  const inPlace = [...own, ...elsewhere]
    .filter(({ track }) => cwd === undefined || track.cwd === cwd)
    .sort((a, b) => b.updatedAt - a.updatedAt);
  const here = inPlace.filter(({ archived }) => (onlyArchived ? archived : isAll || !archived));
  const isSub = subagentsAmong(here);
  const main = here.filter((each) => !isSub(each));
  const shown = new Set(all ? main : main.slice(0, NEWEST));
  const sessions = new Set([...shown].map(({ track }) => track.session));
  const tracks = here.filter(
    (each) => shown.has(each) || (isSub(each) && sessions.has(each.track.session)),
  );
  const subagents = new Set(tracks.filter(isSub).map(({ track }) => trackKey(track)));
  const hidden = inPlace.filter(({ archived, track }) => archived && !sessions.has(track.session));
  const archived = all ? 0 : new Set(hidden.map(({ track }) => track.session)).size;
  return { tracks, subagents, more: !all && main.length > NEWEST, archived };
}
