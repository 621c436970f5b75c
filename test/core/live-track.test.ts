import { describe, expect, it } from "vitest";
import { stateAt } from "../../src/core/activity/activity.ts";
import { STALL_POLICY } from "../../src/core/activity/stall.ts";
import { PRESETS } from "../../src/core/list/policy.ts";
import type {
  StreamBase,
  StreamBody,
  StreamEvent,
  StreamItem,
} from "../../src/core/stream/events.ts";
import {
  emptyLiveTrack,
  familyStallsAt,
  foldStream,
  type LiveTrack,
} from "../../src/core/stream/fold.ts";
import { event, noteActivity, todoList } from "./events.ts";

function fold(events: readonly StreamEvent[]): LiveTrack {
  const [first] = events;
  if (!first) throw new Error("no events");
  const live = emptyLiveTrack(first);
  for (const each of events) foldStream(live, each);
  return live;
}

const at = (timestamp: number, body: StreamBody, base: Partial<StreamBase> = {}) =>
  event(body, { timestamp, ...base });
const items = (given: readonly StreamItem[], timestamp = 1_000) =>
  at(timestamp, { type: "todo_list", todoId: "s-main", items: given });

describe("the list", () => {
  it("is folded with the times of its todos", () => {
    const live = fold([
      at(500, { type: "session.started", cwd: "/home/dev/shop", title: "Speed up", model: "m1" }),
      todoList(["> Find it", "  Fix it"], { timestamp: 1_000 }),
      todoList(["x Find it", "> Fix it"], { timestamp: 4_000 }),
    ]);
    expect(live.track).toEqual({
      session: "s",
      agent: "main",
      agentType: "codex",
      version: 2,
      revision: 2,
      list: 1,
      todos: [
        {
          id: "1",
          text: "Find it",
          status: "completed",
          createdAt: 1_000,
          startedAt: 1_000,
          finishedAt: 4_000,
          movedBy: "agent",
        },
        {
          id: "2",
          text: "Fix it",
          status: "in_progress",
          createdAt: 1_000,
          startedAt: 4_000,
          movedBy: "agent",
        },
      ],
      nextId: 3,
      mode: "work",
      unseen: [],
      unseenOrder: false,
      openedAt: 500,
      updatedAt: 4_000,
      agentAt: 4_000,
      cwd: "/home/dev/shop",
      title: "Speed up",
    });
    expect([live.model, live.ended, live.skipped]).toEqual(["m1", false, {}]);
  });

  it("returns its event, and none if nothing changed", () => {
    const live = emptyLiveTrack(todoList([]));
    const first = foldStream(live, todoList(["> Find it"]));
    expect(first?.changes.map(({ type }) => type)).toEqual(["track.opened", "todo.added"]);
    expect(foldStream(live, todoList(["> Find it"]))?.changes).toEqual([]);
    expect(foldStream(live, at(2_000, { type: "turn.completed" }))).toBeUndefined();
    expect(foldStream(live, todoList(["x Find it"]))?.changes).toEqual([
      { type: "todo.moved", id: "1", from: "in_progress", to: "completed" },
    ]);
  });

  it("is kept as written: two in progress, in plan mode, over every limit of a tool", () => {
    const lines = Array.from({ length: 300 }, (_, place) => `> Step ${place} ${"x".repeat(600)}`);
    const live = fold([at(500, { type: "mode.changed", mode: "plan" }), todoList(lines)]);
    expect([live.track.todos.length, live.track.mode, live.skipped]).toEqual([300, "plan", {}]);
  });

  it("clears absent fields of an item, but keeps its ref", () => {
    const full: StreamItem = {
      text: "Ship",
      status: "blocked",
      raw: "BLOCKED",
      id: "t7",
      activeText: "Shipping",
      phase: "Last",
      notes: ["by boat"],
      priority: "high",
      parent: "t1",
      blockedBy: ["t2"],
      blocker: "no wind",
      owner: "ann",
    };
    const live = fold([items([full])]);
    expect(live.track.todos).toEqual([
      {
        id: "1",
        text: "Ship",
        status: "blocked",
        rawStatus: "BLOCKED",
        ref: "t7",
        activeText: "Shipping",
        phase: "Last",
        notes: ["by boat"],
        priority: "high",
        parent: "t1",
        blockedBy: ["t2"],
        blocker: "no wind",
        owner: "ann",
        createdAt: 1_000,
        movedBy: "agent",
      },
    ]);
    foldStream(live, items([{ text: "Ship", status: "pending" }], 2_000));
    expect(live.track.todos).toEqual([
      {
        id: "1",
        text: "Ship",
        status: "pending",
        ref: "t7",
        createdAt: 1_000,
        movedBy: "agent",
      },
    ]);
  });

  it("keeps the other todos if one is blank or too long", () => {
    const endless = "x".repeat(PRESETS.external.maxText + 5);
    const live = fold([
      items([
        { text: "Build", status: "pending", activeText: " ", id: "", notes: ["", "mind"] },
        { text: " \n", status: "pending" },
        { text: endless, status: "pending" },
      ]),
    ]);
    expect(
      live.track.todos.map(({ text, activeText, notes }) => [text, activeText, notes]),
    ).toEqual([
      ["Build", undefined, ["mind"]],
      [endless.slice(0, PRESETS.external.maxText), undefined, undefined],
    ]);
    expect(live.skipped).toEqual({ bad_item: 1 });
  });

  it("counts todos over the limit", () => {
    const many = Array.from(
      { length: PRESETS.external.maxTodos + 3 },
      (_, place): StreamItem => ({ text: `Step ${place}`, status: "pending" }),
    );
    const live = fold([items(many)]);
    expect([live.track.todos.length, live.skipped]).toEqual([10_000, { bad_item: 3 }]);
  });

  it("is cleared by an empty list", () => {
    expect(fold([todoList(["> Find it"]), todoList([])]).track.todos).toEqual([]);
  });
});

describe("the session", () => {
  it("ends, and resumes with the next turn", () => {
    const live = fold([at(1, { type: "turn.started" }), at(2, { type: "session.ended" })]);
    expect([live.ended, live.activity.turn]).toEqual([true, "completed"]);
    foldStream(live, at(3, { type: "turn.started" }));
    expect([live.ended, live.activity.turn]).toEqual([false, "running"]);
  });

  it("counts compactions, and skipped records by reason", () => {
    const warning = (code: "bad_line" | "list_rejected"): StreamBody => ({
      type: "warning",
      code,
      message: "",
    });
    const live = fold([
      at(1, { type: "session.compacted" }),
      // Codex records a compaction twice.
      at(1, { type: "session.compacted" }),
      at(2, { type: "message", role: "assistant", text: "Going on." }),
      at(2, { type: "session.compacted", trigger: "auto" }),
      at(3, warning("bad_line")),
      at(4, warning("bad_line")),
      at(5, warning("list_rejected")),
    ]);
    expect([live.compactions, live.skipped]).toEqual([2, { bad_line: 2, list_rejected: 1 }]);
  });
});

describe("the plan", () => {
  it("is drafted, proposed and decided", () => {
    const live = fold([
      at(1, { type: "plan.delta", planId: "p", delta: "# Plan\n" }),
      at(2, { type: "plan.delta", planId: "p", delta: "- one" }),
    ]);
    expect(live.plan).toEqual({
      id: "p",
      text: "# Plan\n- one",
      state: "streaming",
      at: 1,
      foreign: true,
    });
    foldStream(live, at(3, { type: "plan.proposed", planId: "p", text: "# Plan", path: "p.md" }));
    foldStream(
      live,
      at(4, { type: "plan.decided", planId: "p", decision: "rejected", comment: "smaller" }),
    );
    expect(live.plan).toEqual({
      id: "p",
      text: "# Plan",
      state: "rejected",
      at: 1,
      path: "p.md",
      foreign: true,
      comment: "smaller",
      decidedAt: 4,
    });
    foldStream(live, at(5, { type: "plan.delta", planId: "q", delta: "again" }));
    expect(live.plan).toEqual({
      id: "q",
      revision: 1,
      text: "again",
      state: "streaming",
      at: 5,
      foreign: true,
    });
  });

  it("is cut to 200,000 characters", () => {
    const live = emptyLiveTrack(todoList([]));
    for (let index = 0; index < 300; index++)
      foldStream(live, at(1, { type: "plan.delta", planId: "p", delta: "x".repeat(1_000) }));
    expect(live.plan?.text.length).toBe(200_000);
  });
});

describe("subagents", () => {
  const child = { agentId: "sub-1" };
  const family = () => {
    const main = fold([
      at(1_000, { type: "turn.started" }),
      todoList(["> Review"], { timestamp: 1_000 }),
      at(2_000, { type: "tool.started", name: "Task", input: { description: "review" } }),
    ]);
    const sub = fold([
      at(3_000, { type: "session.started", parentId: "main", name: "reviewer" }, child),
      todoList(["  Read", "  Judge"], { ...child, timestamp: 90_000 }),
    ]);
    const nested = fold([
      at(95_000, { type: "session.started", parentId: "sub-1" }, { agentId: "sub-2" }),
    ]);
    const stranger = fold([
      at(500_000, { type: "session.started", parentId: "main" }, { sessionId: "t", ...child }),
    ]);
    return { main, sub, nested, stranger };
  };

  it("have their own track with the name of their parent", () => {
    const { main, sub } = family();
    expect(main.track.todos.map(({ text }) => text)).toEqual(["Review"]);
    expect([sub.agent, sub.name, sub.track.parentAgent]).toEqual(["sub-1", "reviewer", "main"]);
    expect(sub.track.todos.map(({ text }) => text)).toEqual(["Read", "Judge"]);
  });

  it("keep their parents from stalling, at any depth and in the same session only", () => {
    const { main, sub, nested, stranger } = family();
    const all = [main, sub, nested, stranger];
    const stalls = (live: LiveTrack) => familyStallsAt(live, all, STALL_POLICY);
    // A call of the main agent runs since 2 s; on its own it would stall at 302 s.
    expect(all.map(stalls)).toEqual([302_000, 155_000, 155_000, 560_000]);
    noteActivity(
      sub.activity,
      at(280_000, { type: "tool.started", name: "Bash", input: { command: "make" } }, child),
    );
    const state = (live: LiveTrack) =>
      stateAt(live.activity, live.ended, 310_000, undefined, stalls(live));
    expect(stateAt(main.activity, main.ended, 310_000)).toBe("stalled");
    expect(state(main)).toBe("working");
  });

  it("may name each other as parents", () => {
    const one = fold([at(1, { type: "session.started", parentId: "b" }, { agentId: "a" })]);
    const two = fold([at(2, { type: "session.started", parentId: "a" }, { agentId: "b" })]);
    const all = [one, two];
    expect(all.map((live) => familyStallsAt(live, all, STALL_POLICY))).toEqual([60_002, 60_002]);
  });
});

it("continues after a round trip through JSON", () => {
  const events = [
    at(1, { type: "session.started", cwd: "/home/dev/shop" }),
    todoList(["> Find it", "  Fix it"], { timestamp: 2 }),
    at(3, { type: "tool.started", name: "Bash", callId: "a", input: { command: "make" } }),
  ];
  const rest = [
    at(4, { type: "tool.completed", callId: "a", output: "ok" }),
    todoList(["x Find it", "> Fix it"], { timestamp: 5 }),
  ];
  const kept = JSON.parse(JSON.stringify(fold(events))) as LiveTrack;
  for (const each of rest) foldStream(kept, each);
  expect(kept).toEqual(fold([...events, ...rest]));
});

describe("verification from transcripts", () => {
  const bash = (time: number, command: string, exitCode = 0): StreamEvent[] => [
    at(time, { type: "tool.started", callId: `${time}`, name: "shell", input: { command } }),
    at(time + 10, {
      type: exitCode === 0 ? "tool.completed" : "tool.failed",
      callId: `${time}`,
      exitCode,
    }),
  ];
  const edit = (time: number): StreamEvent[] => [
    at(time, { type: "tool.started", callId: `${time}`, name: "apply_patch", input: {} }),
    at(time + 10, { type: "tool.completed", callId: `${time}` }),
  ];
  const begun = todoList(["> Find it", "  Fix it"], { timestamp: 1_000 });
  const done = (timestamp: number) => todoList(["x Find it", "> Fix it"], { timestamp });
  const checkOf = (...events: readonly StreamEvent[]) => fold(events).track.todos[0]?.check;

  it("accepts a check before the completion and after the last edit", () => {
    expect(checkOf(begun, ...edit(1_100), ...bash(1_200, "cargo test"), done(2_000))).toEqual({
      command: "cargo test",
      exitCode: 0,
      at: 1_210,
    });
  });

  it("accepts a check after the completion, as an event of the list", () => {
    const live = fold([begun, ...edit(1_100), done(2_000)]);
    const before = live.track.revision;
    const [started, ended] = bash(3_000, "cargo test");
    if (!started || !ended) throw new Error("no call");
    foldStream(live, started);
    expect(foldStream(live, ended)?.changes).toEqual([
      { type: "todo.verified", id: "1", check: { command: "cargo test", exitCode: 0, at: 3_010 } },
    ]);
    expect(live.track.revision).toBe(before);
  });

  it.each<[string, readonly StreamEvent[]]>([
    ["a check before the start of the todo", [...bash(500, "cargo test"), begun, done(2_000)]],
    ["a check that failed", [begun, ...bash(1_200, "cargo test", 101), done(2_000)]],
    ["an edit after it", [begun, ...bash(1_200, "cargo test"), ...edit(1_300), done(2_000)]],
    ["nothing", [begun, done(2_000)]],
  ])("rejects %s", (_, events) => {
    expect(checkOf(...events)).toBeUndefined();
  });
});
