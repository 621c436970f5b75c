import { stallPolicyFromEnv } from "../../core/activity/stall.ts";
import { trackKey } from "../../core/text/ids.ts";
import { joinTracks } from "../../core/views/merged.ts";
import { sharedStore } from "../../home/shared-store.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { shortIds } from "../../sessions/short-ids.ts";
import { type AgentsCall, readAgents } from "../../sessions/transcripts/agents.ts";
import { newestTracks, subagentsAmong } from "../../sessions/transcripts/newest.ts";
import type { Terminal } from "../io/terminal.ts";
import { textOptions } from "../io/text-options.ts";
import { trackRow } from "./track-form.ts";

const NEWEST = 20;

export interface Found {
  /** Newest first; with their subagents. */
  readonly tracks: readonly AnyTrack[];
  /** Keys of those that are subagents. */
  readonly subagents: ReadonlySet<string>;
  /** There are more than were asked for. */
  readonly more: boolean;
}

export interface Which {
  readonly all?: boolean | undefined;
  /** Only those of this directory. */
  readonly cwd?: string | undefined;
  /** The home directory of another user, of whom we keep no lists. */
  readonly home?: string | undefined;
  /** The server whose machines are shown too. */
  readonly store?: string | undefined;
}

/** The tracks, ours and those of all agents, here and on other machines; as many as a person looks through. */
export async function findTracks(call: AgentsCall, which: Which, now: number): Promise<Found> {
  const { all = false, cwd } = which;
  const policy = stallPolicyFromEnv(call.env);
  const { roster } = (await readAgents(call, which.home)).snapshot;
  const isOurs = which.home === undefined;
  const hosted = isOurs && call.home.isThere() ? await (await call.home.reading()).tracks() : [];
  const own =
    all || cwd !== undefined
      ? joinTracks(hosted, roster.tracks(), now, policy)
      : newestTracks(hosted, roster, now, NEWEST, policy);
  const elsewhere = isOurs ? await tracksElsewhere(call, which.store, now) : [];
  const here = [...own, ...elsewhere]
    .filter(({ track }) => cwd === undefined || track.cwd === cwd)
    .sort((a, b) => b.updatedAt - a.updatedAt);
  const isSub = subagentsAmong(here);
  const main = here.filter((each) => !isSub(each));
  const shown = new Set(all ? main : main.slice(0, NEWEST));
  const sessions = new Set([...shown].map(({ track }) => track.session));
  const tracks = here.filter(
    (each) => shown.has(each) || (isSub(each) && sessions.has(each.track.session)),
  );
  const subagents = new Set(tracks.filter(isSub).map(({ track }) => trackKey(track)));
  return { tracks, subagents, more: !all && main.length > NEWEST };
}

async function tracksElsewhere(
  call: AgentsCall,
  given: string | undefined,
  now: number,
): Promise<readonly AnyTrack[]> {
  const store = sharedStore(given, call.env);
  if (store === undefined) return [];
  // Most have only one machine.
  return (await import("../../sessions/remote/machines.ts")).readOthers(call, store, now);
}

/** The table, and below it what it does not show. */
export async function tableOf(
  found: Found,
  terminal: Terminal,
  all: boolean,
  now: number,
): Promise<string> {
  // Imported late: for a program that reads JSON, nothing is drawn.
  const { renderTracks } = await import("../../surfaces/text/index.ts");
  const short = shortIds(found.tracks.map(({ track }) => track.session));
  const shown = found.tracks.filter(({ track }) => all || !found.subagents.has(trackKey(track)));
  const rows = shown.map((each) => {
    const { session } = each.track;
    return trackRow(each, short.get(session) ?? session, now);
  });
  return renderTracks(rows, textOptions(terminal, now));
}

/** `9 tracks, 3 subagents hidden`, where there is anything to be said. */
export function hiddenLine({ tracks, subagents, more }: Found, all: boolean): string | undefined {
  const hidden = all ? 0 : subagents.size;
  const count = tracks.length - hidden;
  const facts = [
    ...(hidden > 0 ? [`${hidden} subagent${hidden === 1 ? "" : "s"} hidden`] : []),
    ...(more ? ["older ones left out"] : []),
  ];
  if (facts.length === 0) return undefined;
  return `${count} track${count === 1 ? "" : "s"}, ${facts.join(", ")}: waymark ls --all`;
}
