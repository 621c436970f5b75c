import { expect, test } from "vitest";
import {
  type Activity,
  applyObservation,
  emptyActivity,
} from "../../src/core/activity/activity.ts";
import { observationOf } from "../../src/core/activity/observation.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Status, Todo, Track } from "../../src/core/model.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";
import { alarmText, boardOf, countStates, headline } from "../../src/core/views/board.ts";
import { newNotifications } from "../../src/core/views/notification.ts";
import { summaryOf } from "../../src/core/views/summary.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { screenLines } from "../../src/surfaces/terminal/screen.ts";
import { newState } from "../../src/surfaces/terminal/state.ts";
import { print } from "../../src/surfaces/text/draw/spans.ts";
import * as width from "../../src/surfaces/text/draw/width.ts";
import { tmuxLine } from "../../src/surfaces/text/statusline.ts";

const NOW = Date.UTC(2026, 10, 15, 14, 32, 0);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function seen(...events: readonly (readonly [ago: number, body: StreamBody])[]): Activity {
  const activity = emptyActivity();
  for (const [ago, body] of events) applyObservation(activity, observationOf(body, NOW - ago));
  return activity;
}

const prompt: StreamBody = { type: "turn.started", prompt: "Go" };
const printed: StreamBody = { type: "message", role: "assistant", text: "Hm." };
const ends: StreamBody = { type: "turn.completed" };
const call = (callId: string): StreamBody => ({
  type: "tool.started",
  callId,
  name: "Bash",
  input: { command: "make" },
});
const asks: StreamBody = {
  type: "input.requested",
  kind: "permission",
  tool: "Bash",
  input: { command: "make" },
};

function track(session: string, activity?: Activity, more: Partial<Track> = {}): Track {
  const updatedAt = activity?.lastAt ?? NOW - MINUTE;
  return {
    ...emptyTrack({ session, agent: "main" }),
    version: 1,
    agentType: "claude-code",
    openedAt: NOW - 60 * MINUTE,
    updatedAt,
    ...(activity && { activity }),
    ...more,
  };
}

const todo = (status: Status): Todo => ({
  id: "1",
  text: "x",
  status,
  createdAt: NOW - 50 * MINUTE,
  movedBy: "agent",
});

const loops = seen(
  [9 * MINUTE, prompt],
  ...Array.from({ length: 24 }, (_, n): readonly (readonly [number, StreamBody])[] => [
    [40 * SECOND - n * SECOND, call(`c${n}`)],
    [40 * SECOND - n * SECOND, { type: "tool.completed", callId: `c${n}`, output: "same" }],
  ]).flat(),
);
const plan = { id: "p", text: "1. one", state: "proposed", at: NOW - 20 * MINUTE } as const;

const tracks: readonly Track[] = [
  track("permission", seen([30 * MINUTE, prompt], [29 * MINUTE, call("c")], [28 * MINUTE, asks])),
  track("plan", seen([25 * MINUTE, prompt]), { plan }),
  // The main agent is inactive because its subagent waits for the user.
  track("family", seen([20 * MINUTE, prompt], [19 * MINUTE, call("c")])),
  track("family", seen([18 * MINUTE, prompt], [17 * MINUTE, call("c")], [16 * MINUTE, asks]), {
    agent: "child",
    parentAgent: "main",
  }),
  track("stalled", seen([20 * MINUTE, prompt], [19 * MINUTE, printed])),
  track("looping", loops),
  track("works", seen([MINUTE, prompt], [SECOND, printed])),
  track("list only", undefined, { todos: [todo("in_progress")] }),
  track("idle", seen([9 * MINUTE, prompt], [8 * MINUTE, ends]), { todos: [todo("pending")] }),
  track("done", seen([9 * MINUTE, prompt], [8 * MINUTE, ends]), { todos: [todo("completed")] }),
  track("old", seen([50 * 60 * MINUTE, prompt], [49 * 60 * MINUTE, ends])),
];

test("all headlines count the same sessions", () => {
  const joined = mergeTracks(tracks, [], NOW);
  const { counts, stuck } = countStates(joined, NOW);
  expect({ counts, stuck }).toEqual({
    counts: { "needs you": 3, working: 4, idle: 1, finished: 1 },
    stuck: 2,
  });
  const board = boardOf(joined, { now: NOW });
  expect(headline(board)).toBe("3 need you. 4 working (2 stuck).");
  expect(alarmText(board)).toBe("3 need you, 2 stuck");
  expect(board.groups[0]?.group).toBe("needs you");

  const data = { board, now: NOW, since: NOW, loading: false, historyStep: undefined, frame: 0 };
  const screen = screenLines(
    data,
    newState(false),
    { columns: 100, rows: 40 },
    { color: false, unicode: true, timeZone: "UTC" },
  );
  expect(print(screen.slice(0, 1), false)).toContain("3 need you · 4 working (2 stuck) · 1 idle");

  const line = tmuxLine(tracks.map(summaryOf), {
    now: NOW,
    width: 40,
    color: false,
    unicode: true,
    measure: width,
  });
  expect(line).toMatch(/^wm 4▸ 2! ◆3/);

  const alerts = newNotifications(() => 0)(joined);
  const received = (kind: string) =>
    alerts.filter((alert) => alert.kind === kind).map(({ session }) => session);
  expect(received("needs you").sort()).toEqual(["family", "permission", "plan"]);
  expect(received("stalled")).toEqual(["stalled"]);
  expect(received("looping")).toEqual(["looping"]);
});
