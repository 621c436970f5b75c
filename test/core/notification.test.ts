import { expect, test } from "vitest";
import { emptyActivity } from "../../src/core/activity/activity.ts";
import type { Waiting } from "../../src/core/activity/waiting.ts";
import { emptyTrack } from "../../src/core/evolve.ts";
import type { Todo, Track } from "../../src/core/model.ts";
import type { MergedTrack } from "../../src/core/views/merged.ts";
import { newNotifications } from "../../src/core/views/notification.ts";

const BEGAN = 1_000_000;
const AT = BEGAN + 5_000;

const todo = (id: string, more: Partial<Todo> = {}): Todo => ({
  id,
  text: `todo ${id}`,
  status: "completed",
  createdAt: 1,
  finishedAt: AT,
  movedBy: "agent",
  ...more,
});

function joined(more: Partial<MergedTrack>, track: Partial<Track> = {}): MergedTrack {
  return {
    track: {
      ...emptyTrack({ session: "s", agent: "main" }),
      title: "Paint",
      cwd: "/home/dev/house",
      agentType: "codex",
      ...track,
    },
    hosted: true,
    state: "working",
    findings: [],
    updatedAt: AT,
    ...more,
  };
}

/** A plan that waits for the user's decision. */
function proposed(text: string, at: number, id = "p1"): MergedTrack {
  return joined({
    plan: { id, text, state: "proposed", at },
    state: "needs_you",
    waiting: { kind: "plan", text: "2 steps", since: at },
  });
}

const about = {
  session: "s",
  agent: "main",
  agentType: "codex",
  title: "Paint",
  project: "house",
};

test("notifies once about a plan, a finished list, a stall and a persistent loop", () => {
  const fresh = newNotifications(() => BEGAN);
  const activity = { ...emptyActivity(), lastAt: AT, turnStartedAt: 7 };
  const waits = proposed("1. one\n2. two", AT);
  expect(fresh([waits])).toEqual([
    {
      ...about,
      kind: "needs you",
      key: '["s","main"] needs you p1 1005000',
      at: AT,
      fact: "a plan with 2 steps is waiting for your decision",
    },
  ]);
  expect(fresh([waits])).toEqual([]);
  expect(fresh([proposed("1. one", AT + 1)]).map(({ kind }) => kind)).toEqual(["needs you"]);
  const loop = (level: "warning" | "critical") =>
    ({
      kind: "generic_repeat",
      level,
      label: "npm test",
      count: 20,
      message: "npm test, 20 times",
    }) as const;
  expect(fresh([joined({ findings: [loop("warning")], activity })])).toEqual([]);
  const loops = joined({ findings: [loop("critical")], activity });
  expect(fresh([loops])).toEqual([
    {
      ...about,
      kind: "looping",
      key: '["s","main"] looping generic_repeat:critical:npm test 7',
      at: AT,
      fact: "npm test, 20 times",
    },
  ]);
  expect(fresh([loops])).toEqual([]);
  const stall = { kind: "stalled", level: "warning", label: "sleep", count: 60 } as const;
  const stalls = (lastAt: number, message: string) =>
    joined({
      state: "stalled",
      findings: [{ ...stall, message }],
      activity: { ...activity, lastAt },
    });
  expect(fresh([stalls(AT, "no output for 1m")]).map(({ at, fact }) => ({ at, fact }))).toEqual([
    { at: AT + 60_000, fact: "no output for 1m" },
  ]);
  expect(fresh([stalls(AT, "no output for 2m")])).toEqual([]);
  expect(fresh([stalls(AT + 1, "no output for 1m")]).length).toBe(1);
  const check = { command: "npm test", at: AT };
  const done = joined({}, { todos: [todo("1", { check }), todo("2")], list: 1 });
  expect(fresh([done])).toEqual([
    {
      ...about,
      kind: "finished",
      key: '["s","main"] finished 1 1005000',
      at: AT,
      fact: "2 done, 1 verified, 1 unverified",
    },
  ]);
  expect(fresh([done])).toEqual([]);
  expect(fresh([joined({}, { todos: [todo("3")], list: 2 })]).map(({ fact }) => fact)).toEqual([
    "1 done, nothing verified",
  ]);
});

test("does not notify about earlier occurrences, finished subagents and decided plans", () => {
  const fresh = newNotifications(() => BEGAN);
  const old = BEGAN - 1;
  expect(
    fresh([
      joined({}, { todos: [todo("1", { finishedAt: old })] }),
      proposed("x", old, "p"),
      joined({ plan: { id: "q", text: "x", state: "approved", at: AT } }),
      joined({ plan: { id: "r", text: "x", state: "proposed", at: AT }, state: "ended" }),
      joined({}, { agent: "sub", parentAgent: "main", todos: [todo("1")] }),
      joined({}, { todos: [todo("1"), todo("2", { status: "pending" })] }),
    ]),
  ).toEqual([]);
});

test("notifies only about new occurrences after the clock was set back", () => {
  let began = BEGAN;
  const fresh = newNotifications(() => began);
  const before = joined({}, { session: "before", todos: [todo("1", { finishedAt: BEGAN - 1 })] });
  const list = (finishedAt: number) => joined({}, { todos: [todo("1", { finishedAt })] });
  expect(fresh([before])).toEqual([]);
  began -= 3_600_000;
  expect(fresh([before, list(began + 1)]).map(({ session }) => session)).toEqual(["s"]);
  expect(fresh([before, list(began - 1)])).toEqual([]);
});

test("does not forget a lasting occurrence", () => {
  const fresh = newNotifications(() => BEGAN);
  const done = { todos: [todo("1")] };
  expect(fresh([joined({}, done)]).length).toBe(1);
  for (let turnStartedAt = 1; turnStartedAt <= 50; turnStartedAt++) {
    const activity = { ...emptyActivity(), lastAt: AT, turnStartedAt };
    const loop = { kind: "ping_pong", level: "critical", label: "a", count: 20 } as const;
    const busy = joined({ findings: [{ ...loop, message: "" }], activity }, done);
    expect(fresh([busy]).map(({ kind }) => kind)).toEqual(["looping"]);
  }
});

test("notifies once about a permission prompt or question, with its text", () => {
  const fresh = newNotifications(() => BEGAN);
  const asking = (waiting: Waiting, callId?: string) =>
    joined({
      state: "needs_you",
      waiting,
      activity: {
        ...emptyActivity(),
        lastAt: AT,
        waiting: { ...waiting, kind: "permission", ...(callId !== undefined && { callId }) },
      },
    });
  const permission = { kind: "permission", text: "rm -rf dist", tool: "Bash", since: AT } as const;
  expect(fresh([asking(permission, "c1")])).toEqual([
    {
      ...about,
      kind: "needs you",
      key: '["s","main"] needs you permission c1',
      at: AT,
      fact: "asks for permission: rm -rf dist. Answer in its terminal",
    },
  ]);
  // The session file dates the same request a little earlier.
  expect(fresh([asking({ ...permission, since: AT - 40 }, "c1")])).toEqual([]);
  const question = { kind: "question", text: "Which port?", since: AT + 1 } as const;
  expect(fresh([asking(question)]).map(({ fact }) => fact)).toEqual([
    "asks: Which port? Answer in its terminal",
  ]);
});

test("does not notify about a guessed request", () => {
  const fresh = newNotifications(() => BEGAN);
  const waiting = { kind: "maybe", text: "npm test", tool: "Bash", since: AT } as const;
  expect(fresh([joined({ state: "working", waiting })])).toEqual([]);
});

test("notifies once about the request of a subagent, for its session", () => {
  const fresh = newNotifications(() => BEGAN);
  const waiting = { kind: "permission", text: "make", tool: "Bash", since: AT } as const;
  const child = joined({ state: "needs_you", waiting }, { agent: "sub", parentAgent: "main" });
  const found = fresh([joined({ state: "needs_you", waiting }), child]);
  expect(found.map(({ agent }) => agent)).toEqual(["main"]);
});
