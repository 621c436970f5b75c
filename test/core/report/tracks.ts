import { type Activity, emptyActivity } from "../../../src/core/activity/activity.ts";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { Todo } from "../../../src/core/model.ts";
import type { ActivityTimeline, CallMark } from "../../../src/core/views/activity-timeline.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import type { ReportedTrack } from "../../../src/core/views/report/model.ts";
import { todo } from "../track-of.ts";

export const HOUR = 3_600_000;
export const MINUTE = 60_000;
/** 07:00 on Tue 17 Nov 2026, UTC. */
export const NOW = Date.UTC(2026, 10, 17, 7);
export const WINDOW = { since: NOW - 8 * HOUR, until: NOW };
export const ago = (hours: number) => NOW - hours * HOUR;

/** A completed todo, proven by a check if `check` is given. */
export function done(id: string, finished: number, check?: string): Todo {
  return todo(id, {
    status: "completed",
    createdAt: finished - HOUR,
    startedAt: finished - HOUR / 2,
    finishedAt: finished,
    ...(check !== undefined && { check: { command: check, exitCode: 0, at: finished } }),
  });
}

export function running(id: string, started: number, rest: Partial<Todo> = {}): Todo {
  return todo(id, { status: "in_progress", createdAt: started, startedAt: started, ...rest });
}

interface Given extends Partial<Omit<MergedTrack, "track" | "activity">> {
  readonly session?: string;
  readonly agent?: string;
  readonly parentAgent?: string;
  readonly title?: string;
  readonly activity?: Partial<Activity>;
  readonly calls?: readonly CallMark[];
  readonly events?: ReportedTrack["events"];
}

/** A session in /srv/harbor that was last active an hour ago. */
export function reported(todos: readonly Todo[], given: Given = {}): ReportedTrack {
  const { session = "s1", agent = "main", parentAgent, title = `Work of ${session}` } = given;
  const { activity, calls, events, ...rest } = given;
  const { session: _, agent: __, parentAgent: ___, title: ____, ...more } = rest;
  const timeline: ActivityTimeline = { calls: calls ?? [], happenings: [], left: 0 };
  return {
    merged: {
      track: {
        ...emptyTrack({ session, agent }),
        version: 1,
        todos,
        title,
        openedAt: ago(6),
        updatedAt: ago(1),
        cwd: "/srv/harbor",
        agentType: "codex",
        ...(parentAgent !== undefined && { parentAgent }),
      },
      hosted: false,
      state: "idle",
      findings: [],
      updatedAt: ago(1),
      activeAt: ago(1),
      activity: { ...emptyActivity(), turn: "completed", lastAt: ago(1), ...activity },
      ...more,
    },
    timeline,
    ...(events && { events }),
  };
}

export function check(label: string, at: number, ok: boolean): CallMark {
  return { at, kind: "check", label, endedAt: at + MINUTE, ok };
}

export function edit(label: string, at: number): CallMark {
  return { at, kind: "edit", label, endedAt: at, ok: true };
}
