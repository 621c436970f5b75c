import { describe, expect, expectTypeOf, it } from "vitest";
import {
  createTracker,
  type Event,
  type List,
  memoryStore,
  type Outcome,
  type Recorded,
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

describe("SPEC B10, the list handle", () => {
  it("SPEC B10: is synchronous on the memory store, a promise on any other", () => {
    const list = newList();
    expectTypeOf(list.set([])).toEqualTypeOf<Outcome>();
    expectTypeOf(list.get()).toEqualTypeOf<readonly Todo[]>();
    expectTypeOf<ReturnType<List<Store>["get"]>>().toEqualTypeOf<Promise<readonly Todo[]>>();
    expect(list.set([{ text: "Cut" }])).not.toBeInstanceOf(Promise);
  });

  it("SPEC B10: set answers with what happened, before and after", () => {
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

  it("SPEC B10: a refused set changes nothing and says why", () => {
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

  it("SPEC B10: get, current, progress and clear", () => {
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

  it("SPEC B10: subscribe hears every event of its own list, until it ends", () => {
    const all = tracker();
    const heard: Event[] = [];
    const mine = all.list(ID);
    const other = all.list({ session: "s", agent: "helper" });
    const end = mine.subscribe((event) => heard.push(event));
    const outcomes = [mine.set([{ text: "Cut" }]), mine.clear()];
    other.set([{ text: "Not mine" }]);
    mine.set([{ text: "" }]);
    end();
    mine.set([{ text: "Too late" }]);
    expect(heard).toEqual(outcomes.map(({ event }) => event));
  });

  it("SPEC B10: two handles of one track are one list", () => {
    const all = tracker();
    all.list(ID).set([{ text: "Cut" }]);
    expect(shown(all.list({ ...ID }))).toEqual(["1 [ ] Cut"]);
  });

  it("what is known of a track before its first todo is kept with it", () => {
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

  it("the host's policy is the default, that of a call goes before it", () => {
    const list = createTracker({ policy: { maxTodos: 1 } }).list(ID);
    const two = [{ text: "Cut" }, { text: "Sew" }];
    expect(list.set(two).rejected).toMatchObject([{ code: "too_many" }]);
    expect(list.set(two, { policy: { maxTodos: 2 } }).ok).toBe(true);
  });
});

describe("keys", () => {
  it("the same key never acts twice, and is answered as what it was", () => {
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

  it("a key is known to its own track only", () => {
    const all = tracker();
    for (const agent of ["a", "b"]) {
      const list = all.list({ session: "s", agent });
      expect(list.set([{ text: "Cut" }], { key: "x" }).duplicate).toBe(false);
    }
  });

  it("a refused call does not use its key up", () => {
    const list = newList();
    expect(list.set([{ text: "" }], { key: "x" }).ok).toBe(false);
    expect(list.set([{ text: "Cut" }], { key: "x" })).toMatchObject({ ok: true, duplicate: false });
  });
});

describe("tracks", () => {
  it("lists tracks, the last written first, and watches them all", () => {
    const all = tracker();
    const seen: Recorded[] = [];
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

  it("a closed tracker says so", () => {
    const store = memoryStore();
    const all = createTracker({ store });
    all.close();
    expect(() => all.list(ID).read()).toThrow(expect.objectContaining({ name: "WaymarkError" }));
  });
});

describe("SPEC K2, copy between sessions", () => {
  const NEW = { session: "new", agent: "main" };

  it("SPEC K2: the list goes over with all that belongs to its todos", () => {
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

  it("SPEC K2: nothing to copy answers false and leaves no track", () => {
    const all = tracker();
    expect(all.copy(ID, NEW)).toBe(false);
    expect(all.tracks()).toEqual([]);
  });

  it("SPEC K2: links between todos go on pointing at the same todos", () => {
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

  it("SPEC K2: a list longer than a model may write is copied, too", () => {
    const all = tracker();
    const many = Array.from({ length: 50 }, (_, n) => ({ text: `Step ${n}` }));
    all.list(ID).set(many, { by: "user" });
    expect(all.copy(ID, NEW)).toBe(true);
    expect(all.list(NEW).get()).toHaveLength(50);
  });
});
