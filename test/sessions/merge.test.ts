import { describe, expect, it } from "vitest";
import type { StreamBase, StreamBody, StreamItem } from "../../src/core/stream/events.ts";
import { emptyLiveTrack, foldStream, type LiveTrack } from "../../src/core/stream/fold.ts";
import { boardOf } from "../../src/core/views/board.ts";
import { lastActive } from "../../src/core/views/merged.ts";
import { createTracker } from "../../src/index.ts";
import { mergeTracks } from "../../src/sessions/merge.ts";
import { event } from "../core/events.ts";

const MINUTE = 60_000;

describe("an idle agent", () => {
  /** Worked for two minutes on its todo, ended its turn at 3; the user edits at 60. */
  function edited() {
    let now = 0;
    const list = createTracker({ clock: () => now }).list({ session: "s", agent: "main" });
    const at = (minutes: number) => {
      now = minutes * MINUTE;
    };
    at(1);
    list.observe([{ type: "turn.started" }]);
    list.set([{ text: "Build", status: "in_progress" }, { text: "Test" }], { by: "agent" });
    at(3);
    list.observe([{ type: "turn.completed" }]);
    at(60);
    list.submit([{ op: "add", todos: [{ text: "Ship" }] }], { by: "user" });
    const [merged] = mergeTracks([list.read()], [], 61 * MINUTE);
    if (!merged) throw new Error("no track");
    return merged;
  }

  it("is idle since its last activity, whatever the user edits", () => {
    const merged = edited();
    expect([merged.state, lastActive(merged), merged.updatedAt]).toEqual([
      "idle",
      3 * MINUTE,
      60 * MINUTE,
    ]);
  });

  it("spends no time on its current todo", () => {
    const [group] = boardOf([edited()], { now: 61 * MINUTE }).groups;
    expect(group?.rows[0]?.view.current?.elapsed).toBe(2 * MINUTE);
  });

  it("is idle since its last list write if only its list is known", () => {
    let now = MINUTE;
    const list = createTracker({ clock: () => now }).list({ session: "s", agent: "main" });
    list.set([{ text: "Build", status: "in_progress" }], { by: "agent" });
    now = 60 * MINUTE;
    list.submit([{ op: "add", todos: [{ text: "Ship" }] }], { by: "user" });
    const [merged] = mergeTracks([list.read()], [], now);
    expect(merged).toMatchObject({ state: "idle", activeAt: MINUTE });
  });
});

describe("subagents", () => {
  const agents = ["explore", "test-writer", "audit"];
  const tracks = (() => {
    let now = MINUTE;
    const tracker = createTracker({ clock: () => now });
    const main = tracker.list({ session: "s", agent: "main" });
    main.set([{ text: "Build" }]);
    const lists = agents.map((agent, index) => {
      // The last two appear at the same time.
      now = Math.min(index + 2, 3) * MINUTE;
      const list = tracker.list({ session: "s", agent }, { parentAgent: "main" });
      list.set([{ text: agent }]);
      return list;
    });
    now = 10 * MINUTE;
    lists[0]?.submit([{ op: "add", todos: [{ text: "More" }] }]);
    return [main, ...lists].map((list) => list.read());
  })();

  it.each([
    ["as stored", tracks],
    ["reversed", tracks.toReversed()],
  ])("are listed in order of appearance, %s", (_, given) => {
    const now = 11 * MINUTE;
    const [group] = boardOf(mergeTracks(given, [], now), { now }).groups;
    const names = group?.rows[0]?.children.map(({ track }) => track.agent);
    expect(names).toEqual(["explore", "audit", "test-writer"]);
  });
});

describe("subagents that share their parent's tasks", () => {
  const live = (bodies: readonly StreamBody[], base: Partial<StreamBase> = {}): LiveTrack => {
    const events = bodies.map((body, index) => event(body, { timestamp: index + 1, ...base }));
    const [first] = events;
    if (!first) throw new Error("no events");
    const folded = emptyLiveTrack(first);
    for (const each of events) foldStream(folded, each);
    return folded;
  };
  const task = (id: number, status: StreamItem["status"] = "completed"): StreamItem => ({
    id: String(id),
    text: `Task ${id}`,
    status,
  });
  const tasks = (...items: readonly StreamItem[]): StreamBody => ({
    type: "todo_list",
    todoId: "t",
    items,
    stepwise: true,
  });
  const child = { agentId: "sub" };
  const started: StreamBody = { type: "session.started", parentId: "main" };
  const countsOf = (lives: readonly LiveTrack[]) =>
    mergeTracks(
      [],
      lives.map((each) => ({ live: each, updatedAt: 1 })),
      10,
    ).map(({ track }) => `${track.agent} ${track.todos.map(({ ref }) => ref).join(",")}`);

  it("have no todos that the parent has", () => {
    const main = live([tasks(task(1), task(2), task(3), task(4))]);
    const sub = live([started, tasks(task(2), task(3))], child);
    expect(countsOf([main, sub])).toEqual(["main 1,2,3,4", "sub "]);
  });

  it("keep todos that the parent does not have", () => {
    const main = live([tasks(task(1), task(2))]);
    const sub = live([started, tasks(task(2), task(5))], child);
    expect(countsOf([main, sub])).toEqual(["main 1,2", "sub 5"]);
  });

  it("differ from subagents with lists of their own", () => {
    const main = live([tasks(task(1), task(2))]);
    const own: StreamBody = { type: "todo_list", todoId: "u", items: [task(1), task(2)] };
    expect(countsOf([main, live([started, own], child)])).toEqual(["main 1,2", "sub 1,2"]);
  });
});
