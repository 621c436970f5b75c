import { describe, expect, test } from "vitest";
import { type Activity, emptyActivity } from "../../src/core/activity/activity.ts";
import type { OpenRequest } from "../../src/core/activity/waiting.ts";
import { isRequestAnswered, withProcessStatus } from "../../src/core/activity/waiting.ts";
import type { Todo, Track } from "../../src/core/model.ts";
import { type SessionSummary, summaryOf, summaryState } from "../../src/core/views/summary.ts";
import { todo, trackOf } from "./track-of.ts";

const NOW = 10_000_000;
const MINUTE = 60_000;

function running(more: Partial<Activity> = {}): Activity {
  return { ...emptyActivity(), turn: "running", turnStartedAt: NOW - MINUTE, lastAt: NOW, ...more };
}

function track(todos: readonly Todo[], more: Partial<Track> = {}): Track {
  return trackOf(todos, {}, { updatedAt: NOW - 5, ...more });
}

describe("the summary of a track", () => {
  test("has one letter per todo, verified ones first", () => {
    const check = { command: "npm test", exitCode: 0, at: 1 };
    const todos = [
      todo("1", { status: "pending" }),
      todo("2", { status: "completed" }),
      todo("3", { status: "cancelled" }),
      todo("4", { status: "in_progress", activeText: "Doing it", startedAt: 7 }),
      todo("5", { status: "completed", check }),
      todo("6", { status: "blocked" }),
      todo("7", { status: "completed", evidence: ["out.log"] }),
    ];
    expect(summaryOf(track(todos, { title: "T", cwd: "/p", agentType: "codex" }))).toEqual({
      session: "s",
      agent: "main",
      agentType: "codex",
      title: "T",
      cwd: "/p",
      updatedAt: NOW - 5,
      todos: "vrunoo",
      finished: false,
      now: { text: "Doing it", since: 7 },
      next: "Todo 1",
      turn: "none",
      heardAt: NOW - 5,
    });
    const many = Array.from({ length: 1_001 }, (_, n) => todo(String(n), { status: "completed" }));
    expect(summaryOf(track(many))).toMatchObject({ todos: "u".repeat(1_000), finished: true });
  });

  test("omits absent fields and cuts long texts", () => {
    const bare = summaryOf(track([]));
    for (const field of ["agentType", "cwd", "now", "next", "waiting", "inside", "longest", "loop"])
      expect(bare).not.toHaveProperty(field);
    const long = "x".repeat(300);
    const cut = summaryOf(
      track([todo("1", { text: long, status: "in_progress" }), todo("2", { text: long })]),
    );
    expect([cut.now, cut.next, cut.title]).toEqual([
      { text: long.slice(0, 200) },
      long.slice(0, 200),
      long.slice(0, 200),
    ]);
  });

  test("has no activity without reports", () => {
    const { activity: _, ...silent } = track([]);
    expect(summaryOf(silent)).toMatchObject({ turn: "none", heardAt: NOW - 5 });
  });

  test("has the turn, the open call and the loop", () => {
    const open = { name: "Bash", label: "make", startedAt: 1, signature: "s" };
    const loop = {
      kind: "generic_repeat" as const,
      level: "warning" as const,
      label: "Read",
      count: 12,
      message: "m",
    };
    const activity = running({
      open: [{ ...open, label: "first" }, open],
      slow: [{ label: "make", longest: 90_000 }],
      loop,
    });
    expect(summaryOf(track([], { activity, agentAt: NOW - 50 }))).toMatchObject({
      turn: "running",
      heardAt: NOW,
      inside: "make",
      longest: 90_000,
      loop: { label: "Read", count: 12 },
    });
    const ended = { ...running(), turn: "completed" as const, lastAt: NOW - 99 };
    expect(summaryOf(track([], { activity: ended, agentAt: NOW - 50 }))).toMatchObject({
      turn: "ended",
      heardAt: NOW - 50,
    });
  });

  test("has the state of the track", () => {
    const state = (more: Partial<SessionSummary>, now = NOW) =>
      summaryState({ ...summaryOf(track([])), heardAt: NOW, ...more }, now);
    const waiting = { kind: "question" as const, text: "Which?", since: 1 };
    expect([state({ waiting, turn: "running" }), state({ asks: true })]).toEqual([
      "needs_you",
      "needs_you",
    ]);
    expect(state({ turn: "running" })).toBe("working");
    expect(state({ turn: "running", loop: { label: "x", count: 10 } })).toBe("looping");
    expect(state({ turn: "running" }, NOW + 2 * MINUTE)).toBe("stalled");
    expect(state({ turn: "running", inside: "make" }, NOW + 2 * MINUTE)).toBe("working");
    expect(state({ turn: "running", inside: "make" }, NOW + 6 * MINUTE)).toBe("stalled");
    expect(state({ turn: "running", inside: "make", longest: 4 * MINUTE }, NOW + 6 * MINUTE)).toBe(
      "working",
    );
    // Older versions wrote "c" for completed todos without a check.
    for (const todos of ["vru", "vc"]) expect(state({ turn: "ended", todos })).toBe("finished");
    expect([state({ turn: "ended", todos: "vc" }), state({ turn: "ended", todos: "vo" })]).toEqual([
      "finished",
      "idle",
    ]);
    expect([state({ todos: "n" }), state({ todos: "o" })]).toEqual(["working", "idle"]);
    expect(state({ todos: "n" }, NOW + 60 * MINUTE)).toBe("idle");
  });
});

describe("a request that a process reports beside its session file", () => {
  const request: OpenRequest = { kind: "permission", text: "", since: NOW };
  const call = { name: "Bash", label: "make", startedAt: NOW - 5, signature: "s", callId: "c1" };

  test("refers to the latest open call", () => {
    const status = { ...emptyActivity(), waiting: request };
    const activity = running({ open: [{ ...call, label: "older" }, call] });
    expect(withProcessStatus(activity, status).waiting).toEqual({
      kind: "permission",
      text: "make",
      since: NOW,
      tool: "Bash",
      signature: "s",
      callId: "c1",
    });
    const named = { ...status, waiting: { ...request, text: "rm" } };
    expect(withProcessStatus(running(), named).waiting).toEqual({ ...request, text: "rm" });
    const own = running({ waiting: { ...request, text: "own" } });
    expect(withProcessStatus(own, named)).toBe(own);
  });

  test("ends with the answer, and inactivity is counted from there", () => {
    const status = { ...emptyActivity(), answeredAt: NOW + 9 };
    const asking = running({ waiting: request });
    expect(withProcessStatus(asking, status)).toEqual(running({ lastAt: NOW + 9 }));
    expect(withProcessStatus(asking, { ...status, answeredAt: NOW })).toBe(asking);
    const ended = { ...asking, turn: "completed" as const };
    expect(withProcessStatus(ended, status)).toBe(ended);
  });

  test("is answered by the end of its turn or call, or by a later call", () => {
    const answered = (more: Partial<Activity>, waiting: OpenRequest = request) =>
      isRequestAnswered(waiting, running(more));
    expect(answered({})).toBe(false);
    expect(answered({ turn: "completed", lastAt: NOW })).toBe(false);
    expect(answered({ turn: "completed", lastAt: NOW + 1 })).toBe(true);
    expect(answered({ lastAt: NOW + 1 })).toBe(false);
    const named = { ...request, callId: "c1" };
    const ended = (endedAt: number) => ({ recent: [{ ...call, endedAt }] });
    expect([answered(ended(NOW), named), answered(ended(NOW - 1), named)]).toEqual([true, false]);
    expect(answered(ended(NOW))).toBe(false);
    const others = [
      { ...call, endedAt: NOW },
      { ...call, callId: "c2", endedAt: NOW - 1 },
    ];
    expect(answered({ recent: others }, named)).toBe(true);
    expect(answered({ recent: others.toReversed() }, { ...named, callId: "c2" })).toBe(false);
    const later = (startedAt: number) => ({ open: [{ ...call, startedAt }] });
    expect([answered(later(NOW + 2_000)), answered(later(NOW + 2_001))]).toEqual([false, true]);
  });
});
