import { describe, expect, test } from "vitest";
import {
  type Activity,
  applyObservation,
  emptyActivity,
} from "../../src/core/activity/activity.ts";
import { observationOf } from "../../src/core/activity/observation.ts";
import {
  findingsOf,
  type SessionFacts,
  sinceDecision,
  stateOf,
  waitingOf,
} from "../../src/core/activity/session-state.ts";
import type { StreamBody } from "../../src/core/stream/events.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The activity after events, given as seconds and body. */
function seen(...events: readonly (readonly [number, StreamBody])[]): Activity {
  const activity = emptyActivity();
  for (const [seconds, body] of events)
    applyObservation(activity, observationOf(body, seconds * SECOND));
  return activity;
}

const facts = (activity: Activity, more: Partial<SessionFacts> = {}): SessionFacts => ({
  todos: [],
  ended: false,
  updatedAt: activity.lastAt,
  activity,
  hooked: true,
  ...more,
});

const prompt: StreamBody = { type: "turn.started", prompt: "Do it" };
const bash = (callId: string, command = "make"): StreamBody => ({
  type: "tool.started",
  callId,
  name: "Bash",
  input: { command },
});
const done = (callId: string): StreamBody => ({ type: "tool.completed", callId, output: "" });
const permission: StreamBody = {
  type: "input.requested",
  kind: "permission",
  tool: "Bash",
  input: { command: "make" },
};

describe("stateOf", () => {
  test("reports a permission prompt as needs_you for any time, never as stalled", () => {
    const activity = seen([1, prompt], [2, bash("c1")], [3, permission]);
    for (const now of [4 * SECOND, 5 * MINUTE, 20 * 60 * MINUTE]) {
      expect(stateOf(facts(activity), now)).toBe("needs_you");
      expect(findingsOf(activity, stateOf(facts(activity), now), now)).toEqual([]);
    }
    expect(waitingOf(facts(activity), MINUTE)).toEqual({
      kind: "permission",
      text: "make",
      tool: "Bash",
      since: 3 * SECOND,
    });
  });

  test("drops a request that was not answered for a day", () => {
    const activity = seen([1, prompt], [2, bash("c1")], [3, permission]);
    expect(stateOf(facts(activity), 25 * 60 * MINUTE)).toBe("idle");
  });

  test.each<readonly [string, StreamBody]>([
    ["the result of the call", done("c1")],
    ["a denial", { type: "tool.failed", callId: "c1", output: "denied" }],
    ["an answer", { type: "input.resolved" }],
    ["another call", bash("c2", "ls")],
    ["a message", { type: "message", role: "assistant", text: "Fine." }],
    ["a prompt", prompt],
    ["the end of the turn", { type: "turn.completed" }],
    ["an interruption", { type: "turn.cancelled" }],
    ["an idle notification", { type: "turn.idle" }],
    ["the end of the session", { type: "session.ended" }],
  ])("ends the request after %s", (_, event) => {
    const activity = seen([1, prompt], [2, bash("c1")], [3, permission], [60, event]);
    expect(waitingOf(facts(activity), 61 * SECOND)).toBeUndefined();
    expect(stateOf(facts(activity), 61 * SECOND)).not.toBe("needs_you");
  });

  test("keeps the request through calls of the same message", () => {
    const activity = seen(
      [1, prompt],
      [2, bash("other", "ls")],
      [2, bash("c1")],
      [3, permission],
      [4, bash("late", "pwd")],
      [30, done("other")],
      [31, done("late")],
    );
    expect(stateOf(facts(activity), 40 * SECOND)).toBe("needs_you");
  });

  test("ignores a notification that repeats the request", () => {
    const repeat: StreamBody = { type: "input.requested", kind: "permission" };
    const activity = seen([1, prompt], [2, bash("c1")], [3, permission], [9, repeat]);
    expect(waitingOf(facts(activity), MINUTE)).toMatchObject({ text: "make", since: 3 * SECOND });
  });

  test("replaces the request if tool, text or call differ", () => {
    const asks = (more: object): StreamBody =>
      ({ type: "input.requested", kind: "permission", ...more }) as StreamBody;
    const repeated = (first: object, second: object) =>
      waitingOf(facts(seen([1, prompt], [3, asks(first)], [9, asks(second)])), MINUTE);
    const first = { tool: "Bash", text: "make" };
    const kept = { text: "make", since: 3 * SECOND };
    expect(repeated(first, {})).toMatchObject(kept);
    expect(repeated(first, { tool: "Bash" })).toMatchObject(kept);
    expect(repeated(first, { text: "make" })).toMatchObject(kept);
    expect(repeated(first, { tool: "Edit", text: "make" })).toMatchObject({ since: 9 * SECOND });
    expect(repeated(first, { tool: "Bash", text: "ls" })).toMatchObject({ since: 9 * SECOND });
    const named = { ...first, callId: "c1" };
    expect(repeated(named, { tool: "Edit", text: "ls", callId: "c1" })).toMatchObject(kept);
    expect(repeated(named, { ...first, callId: "c2" })).toMatchObject({ since: 9 * SECOND });
    expect(repeated(named, first)).toMatchObject(kept);
  });

  test("finds the call of a request by id, input, or name and text", () => {
    const asks = (more: object): StreamBody =>
      ({ type: "input.requested", kind: "permission", ...more }) as StreamBody;
    const calls = [
      [2, bash("c1", "make")],
      [2, bash("c2", "make all")],
      [2, { type: "tool.started", callId: "c3", name: "Edit", input: { file_path: "a.ts" } }],
    ] as const satisfies readonly (readonly [number, StreamBody])[];
    const about = (more: object) => seen([1, prompt], ...calls, [3, asks(more)]).waiting;
    expect(about({ callId: "c1" })).toMatchObject({ callId: "c1", text: "make", tool: "Bash" });
    expect(about({ callId: "c2" })).toMatchObject({ callId: "c2", text: "make all" });
    expect(about({ tool: "Bash", input: { command: "make" } })).toMatchObject({ callId: "c1" });
    expect(about({ tool: "Bash" })).toMatchObject({ callId: "c2" });
    expect(about({ tool: "Edit" })).toMatchObject({ callId: "c3" });
    expect(about({ text: "make" })).toMatchObject({ callId: "c2", text: "make" });
    expect(about({ tool: "Read", text: "b.ts" })).not.toHaveProperty("callId");
    expect(about({})).toMatchObject({ callId: "c3" });
  });

  test("keeps the request after the result of another call with the same input", () => {
    const activity = seen(
      [1, prompt],
      [2, bash("c1")],
      [2, bash("c2")],
      [3, { ...permission, callId: "c2" } as StreamBody],
      [9, done("c1")],
    );
    expect(stateOf(facts(activity), 10 * SECOND)).toBe("needs_you");
    applyObservation(activity, observationOf(done("c2"), 11 * SECOND));
    expect(stateOf(facts(activity), 12 * SECOND)).toBe("working");
  });

  test("matches a result without an id with the oldest open call of its name", () => {
    const call = (command: string): StreamBody =>
      ({ type: "tool.started", name: "Bash", input: { command } }) as StreamBody;
    const activity = seen([1, prompt], [2, call("ls")], [2, call("make")], [3, permission]);
    const result = { type: "tool.completed", name: "Bash", output: "" } as StreamBody;
    applyObservation(activity, observationOf(result, 9 * SECOND));
    expect(stateOf(facts(activity), 10 * SECOND)).toBe("needs_you");
    applyObservation(activity, observationOf(result, 11 * SECOND));
    expect(stateOf(facts(activity), 12 * SECOND)).toBe("working");
  });

  test("takes the open call for a notification without details", () => {
    const alone: StreamBody = { type: "input.requested", kind: "permission" };
    const activity = seen([1, prompt], [2, bash("c1")], [8, alone]);
    expect(waitingOf(facts(activity), MINUTE)).toMatchObject({ text: "make", tool: "Bash" });
  });

  test("ends the request with a call that is reported after its approval", () => {
    const activity = seen([1, prompt], [3, permission], [40, bash("c1")]);
    expect(stateOf(facts(activity), 41 * SECOND)).toBe("working");
  });

  test.each([
    ["AskUserQuestion", { questions: [{ question: "Which port?" }] }],
    ["request_user_input", { questions: [{ id: "p", question: "Which port?" }] }],
    ["ask_user", { message: "Which port?" }],
    ["ask_user_question", { questions: [{ question: "Which port?" }] }],
    ["question", { questions: [{ question: "Which port?" }] }],
    ["ask", { questions: [{ question: "Which port?" }] }],
  ])("reports an open call of %s as a question", (name, input) => {
    const activity = seen([1, prompt], [2, { type: "tool.started", callId: "q", name, input }]);
    expect(stateOf(facts(activity, { hooked: false }), 3 * SECOND)).toBe("needs_you");
    expect(waitingOf(facts(activity), 3 * SECOND)).toEqual({
      kind: "question",
      text: "Which port?",
      tool: name,
      since: 2 * SECOND,
    });
    applyObservation(activity, observationOf(done("q"), 9 * SECOND));
    expect(stateOf(facts(activity), 10 * SECOND)).toBe("working");
  });

  test("ignores other tools with the name of a question tool", () => {
    const call: StreamBody = { type: "tool.started", name: "question", input: { id: 4 } };
    expect(waitingOf(facts(seen([1, prompt], [2, call])), 3 * SECOND)).toBeUndefined();
  });

  test.each([
    ["permission", "permission prompt"],
    ["question", "question"],
    ["plan", "plan"],
  ] as const)("names a %s without a text", (kind, text) => {
    const activity = { ...seen([1, prompt]), waiting: { kind, text: "", since: SECOND } };
    expect(waitingOf(facts(activity), MINUTE)).toEqual({ kind, text, since: SECOND });
    const named = { ...activity, waiting: { ...activity.waiting, text: "Which?", tool: "Ask" } };
    expect(waitingOf(facts(named), MINUTE)).toEqual({
      kind,
      text: "Which?",
      tool: "Ask",
      since: SECOND,
    });
    expect(waitingOf(facts(named, { ended: true }), MINUTE)).toBeUndefined();
  });

  test("knows only the list of an agent that reports nothing", () => {
    const list = (status: "in_progress" | "pending", more: Partial<SessionFacts> = {}) =>
      stateOf({ todos: [{ status }], ended: false, updatedAt: 0, ...more }, 4 * MINUTE);
    expect([list("in_progress"), list("pending"), list("in_progress", { ended: true })]).toEqual([
      "working",
      "idle",
      "ended",
    ]);
    expect(list("in_progress", { updatedAt: -24 * 60 * MINUTE })).toBe("idle");
    expect(list("in_progress", { activity: emptyActivity() })).toBe("working");
  });

  test("guesses a request after a minute if there are no hooks", () => {
    const activity = seen([1, prompt], [2, bash("c1")]);
    const unhooked = facts(activity, { hooked: false });
    expect(waitingOf(unhooked, 61 * SECOND)).toBeUndefined();
    expect(waitingOf(unhooked, 62 * SECOND)).toEqual({
      kind: "maybe",
      text: "make",
      tool: "Bash",
      since: 2 * SECOND,
    });
    expect(stateOf(unhooked, 62 * SECOND)).not.toBe("needs_you");
    expect(waitingOf(facts(activity), 62 * SECOND)).toBeUndefined();
    const reading = seen([1, prompt], [2, { type: "tool.started", name: "Read", input: {} }]);
    expect(waitingOf(facts(reading, { hooked: false }), 2 * MINUTE)).toBeUndefined();
  });

  test("reports a proposed plan as needs_you, and counts inactivity from the decision", () => {
    const activity = seen([1, prompt], [2, { type: "message", role: "assistant", text: "Plan" }]);
    const plan = { id: "p", text: "1. one\n2. two", state: "proposed", at: 2 * SECOND } as const;
    const decided = { ...plan, state: "approved", decidedAt: 10 * MINUTE } as const;
    expect(stateOf(facts(activity, { plan }), 9 * MINUTE)).toBe("needs_you");
    expect(waitingOf(facts(activity, { plan }), 9 * MINUTE)).toMatchObject({ kind: "plan" });
    const next = sinceDecision(activity, decided);
    const at = (now: number) => stateOf(facts(next, { plan: decided }), now);
    expect(at(10 * MINUTE + SECOND)).toBe("working");
    expect(at(10 * MINUTE + 59 * SECOND)).toBe("working");
    expect(at(12 * MINUTE)).toBe("stalled");
  });

  test("reports looping, finished and ended", () => {
    const activity = seen([1, prompt], [2, bash("c1")]);
    const loop = {
      kind: "ping_pong",
      level: "warning",
      label: "a",
      count: 9,
      message: "",
    } as const;
    expect(stateOf(facts({ ...activity, loop }), 3 * SECOND)).toBe("looping");
    const idle = seen([1, prompt], [2, { type: "turn.completed" }]);
    expect(stateOf(facts(idle), 3 * SECOND)).toBe("idle");
    expect(stateOf(facts(idle, { todos: [{ status: "completed" }] }), 3 * SECOND)).toBe("finished");
    expect(stateOf(facts(idle, { ended: true }), 3 * SECOND)).toBe("ended");
    expect(stateOf(facts(activity, { ended: true }), 3 * SECOND)).toBe("ended");
  });
});
