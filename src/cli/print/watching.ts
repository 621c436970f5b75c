import { type Activity, newLoopFinding, newStallFinding } from "../../core/activity/activity.ts";
import { findingsOf, isActive, type SessionState } from "../../core/activity/session-state.ts";
import type { Track } from "../../core/model.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import { plain, tellEvent, tellList, watch } from "../../servers/pipe/tell.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { SessionUpdate } from "../../sessions/source.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";
import { REQUEST_WORDS } from "../../surfaces/text/waiting.ts";

type Said = Omit<LogEntry, "at" | "agentType">;

/** A line of the log, with whose it is. */
export function entryOf(said: Said, at: number, track: Track, name?: string): LogEntry {
  const { agentType, agent } = track;
  const project = track.cwd?.split(/[/\\]/).findLast((part) => part !== "");
  const whose = project ?? track.session.slice(0, 8);
  const who = agent === MAIN_AGENT ? whose : `${whose}/${name ?? agent}`;
  return {
    ...said,
    at,
    who: `${agentLook(agentType).name || "Waymark"} ${who}`,
    ...(agentType !== undefined && { agentType }),
  };
}

/** The log lines of an update. */
export function updateLines({
  change,
  before,
  after,
  written,
}: SessionUpdate): readonly LogEntry[] {
  const { event, live } = written ?? {};
  const lines = change
    ? tellList(change, before, after)
    : event
      ? tellEvent(event, live && { ...live, track: after })
      : [];
  const at = event?.timestamp ?? change?.at ?? after.updatedAt;
  return lines.map((each) => entryOf(each, at, after, live?.name));
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
