import { type Activity, newLoopFinding, newStallFinding } from "../../core/activity/activity.ts";
import { findingsOf, isActive, type SessionState } from "../../core/activity/session-state.ts";
import type { Track } from "../../core/model.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import {
  alertEntry,
  entriesOfEvent,
  entriesOfList,
  plainEntry,
} from "../../servers/pipe/log-entries.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { SessionUpdate } from "../../sessions/source.ts";
import { agentLook } from "../../surfaces/text/agents.ts";
import type { LogEntry } from "../../surfaces/text/log.ts";
import { REQUEST_LABELS } from "../../surfaces/text/requests.ts";

type EntryContent = Omit<LogEntry, "at" | "agentType">;

/** Adds the time and the agent to a log entry. */
export function logEntry(content: EntryContent, at: number, track: Track, name?: string): LogEntry {
  const { agentType, agent } = track;
  const project = track.cwd?.split(/[/\\]/).findLast((part) => part !== "");
  const location = project ?? track.session.slice(0, 8);
  const who = agent === MAIN_AGENT ? location : `${location}/${name ?? agent}`;
  return {
    ...content,
    at,
    who: `${agentLook(agentType).name || "Waymark"} ${who}`,
    ...(agentType !== undefined && { agentType }),
  };
}

/** The log entries of an update. */
export function updateEntries({
  change,
  before,
  after,
  written,
}: SessionUpdate): readonly LogEntry[] {
  const { event, live } = written ?? {};
  const lines = change
    ? entriesOfList(change, before, after)
    : event
      ? entriesOfEvent(event, live && { ...live, track: after })
      : [];
  const at = event?.timestamp ?? change?.at ?? after.updatedAt;
  return lines.map((each) => logEntry(each, at, after, live?.name));
}

/** Reports each request of an agent to its user once. */
export function requestReporter() {
  const reported = new Map<string, string>();
  return (tracks: readonly AnyTrack[], now: number): readonly LogEntry[] =>
    tracks.flatMap((each) => {
      const { track, state, waiting, external, activity, plan } = each;
      const key = trackKey(track);
      // Plans have their own entry.
      if (state !== "needs_you" || !waiting || plan?.state === "proposed") {
        reported.delete(key);
        return [];
      }
      const request = `${waiting.kind} ${activity?.waiting?.callId ?? waiting.since}`;
      if (reported.get(key) === request) return [];
      reported.set(key, request);
      const text = `${REQUEST_LABELS[waiting.kind]}: ${waiting.text}`;
      return [logEntry(alertEntry(text), now, track, external?.live.name)];
    });
}

/** Reports once that an agent loops, stalls or resumes. */
export function findingReporter() {
  const reported = new Map<string, Pick<Activity, "toldLoop" | "stalledAt">>();
  return (tracks: readonly AnyTrack[], now: number): readonly LogEntry[] =>
    tracks.flatMap(({ track, external, state }) => {
      if (!external) return [];
      const key = trackKey(track);
      if (!isActive(state)) {
        reported.delete(key);
        return [];
      }
      // Notifications of other programs do not count: each program reports for itself.
      const { toldLoop: _, stalledAt: __, ...activity } = external.live.activity;
      const current: Activity = { ...activity, ...reported.get(key) };
      const entries = findingEntries(current, state, now);
      const { toldLoop, stalledAt } = current;
      reported.set(key, {
        ...(toldLoop !== undefined && { toldLoop }),
        ...(stalledAt !== undefined && { stalledAt }),
      });
      return entries.map((each) => logEntry(each, now, track, external.live.name));
    });
}

function findingEntries(
  activity: Activity,
  state: SessionState,
  now: number,
): readonly EntryContent[] {
  const loop = newLoopFinding(activity);
  const finding = newStallFinding(activity, state, now);
  const stall = findingsOf(activity, state, now).find(({ kind }) => kind === "stalled");
  return [
    ...(loop ? [alertEntry(`looping: ${loop.message}`, loop.level)] : []),
    ...(finding === "stalled" && stall ? [alertEntry(`stalled: ${stall.message}`)] : []),
    ...(finding === "resumed" ? [plainEntry("resumed")] : []),
  ];
}
