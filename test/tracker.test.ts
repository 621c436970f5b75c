import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createTracker,
  type Event,
  type List,
  memoryStore,
  type Outcome,
  type RecordedEvent,
  type Store,
  type Todo,
} from "../src/index.ts";
import { ID, newList, shown } from "./tools/call.ts";

function tracker() {
  let now = 0;
  const clock = () => {
    now += 1_000;
    return now;
  };
  return createTracker({ clock });
}

describe("list", () => {
  it("is synchronous on the memory store, and returns promises on others", () => {
    const list = newList();
    expectTypeOf(list.set([])).toEqualTypeOf<Outcome>();
    expectTypeOf(list.get()).toEqualTypeOf<readonly Todo[]>();
    expectTypeOf<ReturnType<List<Store>["get"]>>().toEqualTypeOf<Promise<readonly Todo[]>>();
    expect(list.set([{ text: "Cut" }])).not.toBeInstanceOf(Promise);
  });

  it("returns the event and the track before and after a set", () => {
    const list = newList();
    const before = list.read();
    const outcome = list.set([{ text: "Cut" }], { key: "mine", via: "test" });
    expect(outcome).toEqual({
      ok: true,
      duplicate: false,
      rejected: [],
      before,
      after: list.read(),
      event: {
        seq: 1,
        key: "mine",
        at: 1_000,
        by: "agent",
        via: "test",
        changes: [
          { type: "track.opened" },
          { type: "todo.added", todo: { id: "1", text: "Cut", status: "pending" } },
        ],
      },
    });
    expect(list.read()).toEqual({
      ...ID,
      version: 1,
      revision: 1,
      list: 1,
      todos: [{ id: "1", text: "Cut", status: "pending", createdAt: 1_000, movedBy: "agent" }],
      nextId: 2,
      mode: "work",
      unseen: [],
      unseenOrder: false,
      openedAt: 1_000,
      updatedAt: 1_000,
      agentAt: 1_000,
    });
  });

  it("changes nothing with a refused set, and returns the reason", () => {
    const list = newList();
    list.set([{ text: "Cut" }]);
    const before = list.read();
    expect(list.set([{ text: "" }])).toEqual({
      ok: false,
      duplicate: false,
      rejected: [{ code: "empty_text", message: "todos[0].text is empty." }],
      before,
      after: before,
    });
  });

  it("has get, current, progress and clear", () => {
    const list = newList();
    expect([list.get(), list.current(), list.progress()]).toEqual([
      [],
      undefined,
      { completed: 0, total: 0, percent: 0, verified: 0 },
    ]);
    list.set([
      { text: "Cut", status: "completed" },
      { text: "Sew", status: "in_progress" },
      { text: "Iron", status: "cancelled" },
    ]);
    expect(list.current()).toEqual(list.get()[1]);
    expect(list.progress()).toEqual({ completed: 1, total: 2, percent: 50, verified: 0 });
    expect(list.clear().ok).toBe(true);
    expect(list.get()).toEqual([]);
  });

  it("delivers every event of its own list to a subscriber", () => {
    const all = tracker();
    const received: Event[] = [];
    const mine = all.list(ID);
    const other = all.list({ session: "s", agent: "helper" });
    const end = mine.subscribe((event) => received.push(event));
    const outcomes = [mine.set([{ text: "Cut" }]), mine.clear()];
    other.set([{ text: "Not mine" }]);
    mine.set([{ text: "" }]);
    end();
    mine.set([{ text: "Too late" }]);
    expect(received).toEqual(outcomes.map(({ event }) => event));
  });

  it("is the same list for two handles of a track", () => {
    const all = tracker();
    all.list(ID).set([{ text: "Cut" }]);
    expect(shown(all.list({ ...ID }))).toEqual(["1 [ ] Cut"]);
  });

  it("stores the origin of a new track", () => {
    const all = tracker();
    const origin = {
      cwd: "/home/me/project",
      title: "Refunds",
      agentType: "codex",
      parentAgent: "a",
    };
    const list = all.list(ID, origin);
    list.set([{ text: "Cut" }]);
    expect(list.read()).toMatchObject(origin);
    expect(all.tracks({ cwd: origin.cwd })).toEqual([list.read()]);
    expect(all.tracks({ cwd: "/elsewhere" })).toEqual([]);
  });

  it("prefers the policy of a call to that of the tracker", () => {
    const list = createTracker({ policy: { maxTodos: 1 } }).list(ID);
    const two = [{ text: "Cut" }, { text: "Sew" }];
    expect(list.set(two).rejected).toMatchObject([{ code: "too_many" }]);
    expect(list.set(two, { policy: { maxTodos: 2 } }).ok).toBe(true);
  });
});

describe("keys", () => {
  it("have one effect, and return the first result as a duplicate", () => {
    const list = newList();
    const first = list.submit([{ op: "add", todos: [{ text: "Cut" }] }], { key: "x" });
    const before = list.read();
    expect(list.submit([{ op: "clear" }], { key: "x" })).toEqual({
      ok: true,
      duplicate: true,
      event: first.event,
      rejected: [],
      before,
      after: before,
    });
    expect(list.read()).toEqual(before);
  });

  it("are scoped to a track", () => {
    const all = tracker();
    for (const agent of ["a", "b"]) {
      const list = all.list({ session: "s", agent });
      expect(list.set([{ text: "Cut" }], { key: "x" }).duplicate).toBe(false);
    }
  });

  it("can be used again after a refused call", () => {
    const list = newList();
    expect(list.set([{ text: "" }], { key: "x" }).ok).toBe(false);
    expect(list.set([{ text: "Cut" }], { key: "x" })).toMatchObject({ ok: true, duplicate: false });
  });
});

describe("tracks", () => {
  it("lists tracks, the last written first, and watches them all", () => {
    const all = tracker();
    const seen: RecordedEvent[] = [];
    const end = all.watch((recorded) => seen.push(recorded));
    const [a, b] = [all.list({ session: "s", agent: "a" }), all.list({ session: "t", agent: "b" })];
    a.set([{ text: "Cut" }]);
    b.set([{ text: "Sew" }]);
    a.set([{ text: "Cut more" }]);
    end();
    expect(all.tracks().map(({ agent }) => agent)).toEqual(["a", "b"]);
    expect(all.tracks({ session: "t" })).toEqual([b.read()]);
    expect(all.tracks({ limit: 1 })).toEqual([a.read()]);
    expect(seen.map(({ position, track }) => [position, track.agent])).toEqual([
      [1, "a"],
      [2, "b"],
      [3, "a"],
    ]);
  });

  it("fails after close", () => {
    const store = memoryStore();
    const all = createTracker({ store });
    all.close();
    expect(() => all.list(ID).read()).toThrow(expect.objectContaining({ name: "WaymarkError" }));
  });
});

describe("copy between sessions", () => {
  const NEW = { session: "new", agent: "main" };

  it("copies the list with all fields of its todos", () => {
    const all = tracker();
    const old = all.list(ID, { cwd: "/home/me/project" });
    old.set([
      { text: "Cut", status: "completed", evidence: ["photo.png"], notes: ["sharp"], ref: "a" },
      { text: "Sew", status: "in_progress", activeText: "Sewing", phase: "Build" },
      { text: "Pack", status: "blocked", blocker: "no box", priority: "high", owner: "me" },
    ]);
    expect(all.copy(ID, NEW)).toBe(true);
    const copy = all.list(NEW);
    const plain = ({ createdAt, startedAt, finishedAt, movedBy, ...rest }: Todo) => rest;
    expect(copy.get().map(plain)).toEqual(old.get().map(plain));
    expect(copy.read()).toMatchObject({ cwd: "/home/me/project", unseen: [] });
    expect(copy.history()[0]).toMatchObject({ by: "system", via: "copy of s" });
  });

  it("returns false and creates no track if there is nothing to copy", () => {
    const all = tracker();
    expect(all.copy(ID, NEW)).toBe(false);
    expect(all.tracks()).toEqual([]);
  });

  it("preserves links between todos", () => {
    const all = tracker();
    const old = all.list(ID);
    old.set([{ text: "Gone" }, { text: "Cut" }, { text: "Sew" }, { text: "Pack", ref: "p" }]);
    old.submit([
      { op: "remove", target: { any: "1" } },
      { op: "edit", target: { any: "3" }, set: { blockedBy: ["2", "4"], parent: "2" } },
    ]);
    all.copy(ID, NEW);
    expect(
      all
        .list(NEW)
        .get()
        .map(({ id, text, ref, blockedBy, parent }) => ({ id, text, ref, blockedBy, parent })),
    ).toEqual([
      { id: "1", text: "Cut", ref: "2", blockedBy: undefined, parent: undefined },
      { id: "2", text: "Sew", ref: undefined, blockedBy: ["1", "3"], parent: "1" },
      { id: "3", text: "Pack", ref: "p", blockedBy: undefined, parent: undefined },
    ]);
  });

  it("copies a list longer than a model may write", () => {
    const all = tracker();
    const many = Array.from({ length: 50 }, (_, n) => ({ text: `Step ${n}` }));
    all.list(ID).set(many, { by: "user" });
    expect(all.copy(ID, NEW)).toBe(true);
    expect(all.list(NEW).get()).toHaveLength(50);
  });
});
