import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream } from "../../src/core/stream/fold.ts";
import {
  type Display,
  displayAfter,
  LIFECYCLES,
  type Lifecycle,
  shownTrack,
} from "../../src/core/views/lifecycle.ts";
import { event, todoList } from "./events.ts";

const stageOf = (events: readonly StreamEvent[], lifecycle: Lifecycle): Display =>
  events.reduce<Display>((stage, each) => displayAfter(stage, each, lifecycle), []);

const MAX = { agentId: "max" };
const EVE = { agentId: "eve" };
const list = (who: { readonly agentId: string }, todoId = `s-${who.agentId}`): StreamEvent => ({
  ...todoList(["> Research", "  Design"], who),
  todoId,
});
const shown = (agent: string, more: Partial<Display[number]> = {}) => ({
  session: "s",
  agent,
  todoId: `s-${agent}`,
  turnEnded: false,
  asCompleted: false,
  ...more,
});

describe.each(Object.entries(LIFECYCLES))("preset %s", (_, lifecycle) => {
  it("agent-chatter: a todo_list of the same agent replaces", () => {
    expect(stageOf([list(MAX), list(MAX, "second")], lifecycle)).toEqual([
      shown("max", { todoId: "second" }),
    ]);
  });

  it("agent-chatter: a todo_list of a different agent takes over", () => {
    expect(stageOf([list(MAX), list(EVE)], lifecycle)).toEqual([shown("eve")]);
    expect(stageOf([list(MAX), list(EVE), list(MAX)], lifecycle)).toEqual([shown("max")]);
  });

  it("agent-chatter: after turn.completed the list keeps being displayed", () => {
    const stage = stageOf([list(MAX), event({ type: "turn.completed" }, MAX)], lifecycle);
    expect(stage.map(({ agent, turnEnded }) => [agent, turnEnded])).toEqual([["max", true]]);
  });

  it("agent-chatter: the same agent's new list after the end of its turn is live again", () => {
    const events = [list(MAX), event({ type: "turn.completed" }, MAX), list(MAX, "next")];
    expect(stageOf(events, lifecycle)).toEqual([shown("max", { todoId: "next" })]);
  });

  it("agent-chatter: an empty list clears, that of another agent does not", () => {
    expect(stageOf([list(MAX), todoList([], MAX)], lifecycle)).toEqual([]);
    expect(stageOf([list(MAX), todoList([], EVE)], lifecycle)).toEqual([shown("max")]);
  });

  it.each([
    ["agent-chatter: cancelled", { type: "turn.cancelled" }],
    ["agent-chatter: failed", { type: "turn.failed", message: "overloaded" }],
    ["agent-chatter: the conversation ended", { type: "session.ended" }],
  ] as const)("%s: the list is cleared", (_name, body) => {
    expect(stageOf([list(MAX), event(body, MAX)], lifecycle)).toEqual([]);
    // A subagent's bad end is not its parent's.
    expect(stageOf([list(MAX), event(body, EVE)], lifecycle)).toEqual([shown("max")]);
    // The main agent's end is that of its subagents, and of no other session.
    expect(stageOf([list(MAX), event(body)], lifecycle)).toEqual([]);
    expect(stageOf([list(MAX), event(body, { sessionId: "other" })], lifecycle)).toEqual([
      shown("max"),
    ]);
  });

  it("agent-chatter: a warning changes nothing", () => {
    const stage = stageOf([list(MAX)], lifecycle);
    const warning = event({ type: "warning", code: "bad_line", message: "not JSON" }, MAX);
    expect(displayAfter(stage, warning, lifecycle)).toBe(stage);
    expect(displayAfter(stage, event({ type: "tool.started", name: "x" }, EVE), lifecycle)).toBe(
      stage,
    );
  });
});

describe("what the presets disagree about", () => {
  const { waymark, perTurn } = LIFECYCLES;
  const ended = [list(MAX), event({ type: "turn.completed" }, MAX)];

  it("agent-chatter: turn.completed marks all items completed; ours keeps the true statuses", () => {
    expect(stageOf(ended, perTurn)).toEqual([shown("max", { turnEnded: true, asCompleted: true })]);
    expect(stageOf(ended, waymark)).toEqual([shown("max", { turnEnded: true })]);
  });

  it("agent-chatter: what was marked stays marked until the agent writes a new list", () => {
    const next = [...ended, event({ type: "turn.started" }, MAX)];
    expect(stageOf(next, perTurn)).toEqual([shown("max", { turnEnded: true, asCompleted: true })]);
    expect(stageOf(next, waymark)).toEqual([shown("max")]);
  });

  it.each(["session.started", "turn.started"] as const)(
    "agent-chatter: a different agent's start (%s) clears; ours waits for its list",
    (type) => {
      const start = (who: { readonly agentId: string }) => event({ type }, who);
      expect(stageOf([list(MAX), start(EVE)], perTurn)).toEqual([]);
      expect(stageOf([list(MAX), start(MAX)], perTurn)).toEqual([shown("max")]);
      expect(stageOf([list(MAX), start(EVE)], waymark)).toEqual([shown("max")]);
    },
  );
});

describe("a list for each agent", () => {
  const each = { ...LIFECYCLES.waymark, agents: "each" } as const;

  it("shows them all, the last written at the end", () => {
    expect(stageOf([list(MAX), list(EVE), list(MAX)], each)).toEqual([shown("eve"), shown("max")]);
    expect(stageOf([list(MAX), list(EVE), todoList([], MAX)], each)).toEqual([shown("eve")]);
  });

  it("the end of the main agent's turn is the end of all of its session", () => {
    const events = [list(MAX), list(EVE), event({ type: "turn.completed" })];
    expect(stageOf(events, each).map(({ turnEnded }) => turnEnded)).toEqual([true, true]);
  });
});

it("keeping what was stopped marks it as over", () => {
  const keep = { ...LIFECYCLES.waymark, stop: "keep" } as const;
  expect(stageOf([list(MAX), event({ type: "turn.cancelled" }, MAX)], keep)).toEqual([
    shown("max", { turnEnded: true }),
  ]);
});

it("agent-chatter: shown as completed means every todo, and leaves the track as it is", () => {
  const live = emptyLiveTrack(list(MAX));
  foldStream(live, todoList(["x Research", "> Design", "- Draw"], MAX));
  const statuses = (asCompleted: boolean) =>
    shownTrack(live.track, { asCompleted }).todos.map(({ status }) => status);
  expect(statuses(true)).toEqual(["completed", "completed", "completed"]);
  expect(statuses(false)).toEqual(["completed", "in_progress", "cancelled"]);
});
