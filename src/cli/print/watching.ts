import { type Activity, newLoopFinding, newStallFinding } from "../../core/activity/activity.ts";
import { findingsOf, isActive, type SessionState } from "../../core/activity/session-state.ts";
import { emptyTrack } from "../../core/evolve.ts";
import { diff } from "../../core/list/diff.ts";
import type { Track } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { MAIN } from "../../core/views/merged.ts";
import { plain, tellEvent, tellList, watch } from "../../servers/pipe/tell.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { HostedNews } from "../../sessions/hosted.ts";
import type { News } from "../../sessions/transcripts/follow.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";
import { REQUEST_WORDS } from "../../surfaces/text/waiting.ts";

type Said = Omit<LogEntry, "at" | "agentType">;

/** A line of the log, with whose it is. */
export function entryOf(said: Said, at: number, track: Track, name?: string): LogEntry {
  const { agentType, agent } = track;
  const project = track.cwd?.split(/[/\\]/).findLast((part) => part !== "");
  const whose = project ?? track.session.slice(0, 8);
  const who = agent === MAIN ? whose : `${whose}/${name ?? agent}`;
  return {
    ...said,
    at,
    who: `${agentLook(agentType).name || "Waymark"} ${who}`,
    ...(agentType !== undefined && { agentType }),
  };
}

/** What an agent just wrote, as far as it is worth a line. */
export function tellNews({ event, live, change, before, after }: News): readonly LogEntry[] {
  const said = change
    ? tellList(change, before, after)
    : tellEvent(event, { ...live, track: after });
  return said.map((each) => entryOf(each, event.timestamp, after, live.name));
}

/** What somebody did to a list of our own, or of another machine. */
export function tellHosted(...[news, before, after]: ListNews): readonly LogEntry[] {
  return tellList(news, before, after).map((said) => entryOf(said, news.at, after));
}

/** What happened to a list, and the list before and after. */
export type ListNews = readonly [news: HostedNews, before: Track, after: Track];

/** What changed of the lists of other machines since it was last asked; what was there at first is no news. */
export function newNewsOfOthers() {
  let known: ReadonlyMap<string, Track> | undefined;
  return (tracks: readonly AnyTrack[]): readonly ListNews[] => {
    const before = known;
    known = new Map(tracks.map(({ track }) => [trackKey(track), track]));
    if (!before) return [];
    return tracks.flatMap(({ track }): readonly ListNews[] => {
      const was = before.get(trackKey(track)) ?? emptyTrack(track);
      const changes = diff(was, track);
      return changes.length === 0 ? [] : [[{ at: track.updatedAt, changes }, was, track]];
    });
  };
}

/** Says once of each request that an agent waits for its user. */
export function newRequests() {
  const told = new Map<string, string>();
  return (tracks: readonly AnyTrack[], now: number): readonly LogEntry[] =>
    tracks.flatMap((each) => {
      const { track, state, waiting, foreign, activity, plan } = each;
      const key = trackKey(track);
      // Plans have a line of their own.
      if (state !== "needs_you" || !waiting || plan?.state === "proposed") {
        told.delete(key);
        return [];
      }
      const request = `${waiting.kind} ${activity?.waiting?.callId ?? waiting.since}`;
      if (told.get(key) === request) return [];
      told.set(key, request);
      const words = `${REQUEST_WORDS[waiting.kind]}: ${waiting.text}`;
      return [entryOf(watch(words), now, track, foreign?.live.name)];
    });
}

/** Says of each agent once that it loops, that it stalls, and that it goes on. */
export function newFindings() {
  const told = new Map<string, Pick<Activity, "toldLoop" | "stalledAt">>();
  return (tracks: readonly AnyTrack[], now: number): readonly LogEntry[] =>
    tracks.flatMap(({ track, foreign, state }) => {
      if (!foreign) return [];
      const key = trackKey(track);
      if (!isActive(state)) {
        told.delete(key);
        return [];
      }
      // What was told is this program's own affair; the next one tells it again.
      const { toldLoop: _, stalledAt: __, ...activity } = foreign.live.activity;
      const judged: Activity = { ...activity, ...told.get(key) };
      const said = findingEntries(judged, state, now);
      const { toldLoop, stalledAt } = judged;
      told.set(key, {
        ...(toldLoop !== undefined && { toldLoop }),
        ...(stalledAt !== undefined && { stalledAt }),
      });
      return said.map((each) => entryOf(each, now, track, foreign.live.name));
    });
}

function findingEntries(activity: Activity, state: SessionState, now: number): readonly Said[] {
  const loop = newLoopFinding(activity);
  const finding = newStallFinding(activity, state, now);
  const stall = findingsOf(activity, state, now).find(({ kind }) => kind === "stalled");
  return [
    ...(loop ? [watch(`looping: ${loop.message}`, loop.level)] : []),
    ...(finding === "stalled" && stall ? [watch(`stalled: ${stall.message}`)] : []),
    ...(finding === "resumed" ? [plain("resumed")] : []),
  ];
}
