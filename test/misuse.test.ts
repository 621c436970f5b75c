import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTracker, memoryStore, todoTools, WaymarkError } from "../src/index.ts";
import { snapshotStore } from "../src/stores/snapshots.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { memoryTaskStore } from "../src/tasks/memory.ts";
import { sqliteTaskStore } from "../src/tasks/sqlite.ts";
import { taskTools } from "../src/tools/tasks/toolbox.ts";
import { closing, temporaryDirectory } from "./stores/temporary-directory.ts";

/** Untyped calls, as from plain JavaScript. */
const untyped = (value: unknown) => value as never;

const ID = { session: "demo", agent: "main" };

describe("tracker.list", () => {
  it.for([
    [undefined],
    ["demo"],
    [{ session: "demo" }],
    [{ session: "", agent: "main" }],
    [{ session: "demo", agent: 7 }],
  ])("rejects %j as an id and shows a correct call", ([id]) => {
    const tracker = createTracker();
    expect(() => tracker.list(untyped(id))).toThrow(TypeError);
    expect(() => tracker.list(untyped(id))).toThrow(
      /list\(id\).*tracker\.list\(\{ session: "demo", agent: "main" \}\).*tracker\.own/,
    );
  });

  it("rejects todos that are not an array", () => {
    const list = createTracker().own;
    expect(() => list.set(untyped("Cut"))).toThrow(
      /set\(todos\).*expected an array of todos, got a string.*list\.set\(\[\{ text: "Run the tests" \}\]\)/,
    );
    expect(() => list.submit(untyped(undefined))).toThrow(/submit\(ops\).*got undefined/);
  });
});

describe("createTracker", () => {
  it("rejects a store that was not awaited", () => {
    const store = Promise.resolve(memoryStore());
    expect(() => createTracker(untyped({ store }))).toThrow(TypeError);
    expect(() => createTracker(untyped({ store }))).toThrow(/await sqliteStore\("todos.db"\)/);
    expect(() => createTracker(untyped({ store: "todos.db" }))).toThrow(
      /createTracker\(\{ store \}\).*got a string/,
    );
  });

  it("rejects invalid session and agent ids", () => {
    expect(() => createTracker({ session: "" })).toThrow(/The session id is empty/);
    expect(() => createTracker(untyped({ agent: 7 }))).toThrow(/agent/);
  });
});

describe("a tracker on a durable store without a session", () => {
  const own = ["own", "observe", "context", "tools"] as const;

  it.for(own)("refuses %s, because every tracker would share one list", (name) => {
    const store = closing(snapshotStore(temporaryDirectory()));
    const tracker = createTracker({ store });
    const use = () => {
      const part: unknown = tracker[name];
      if (name === "observe") return tracker.observe([]);
      return typeof part === "function" ? part() : part;
    };
    expect(use).toThrow(WaymarkError);
    expect(use).toThrow(/createTracker\(\{ store, session: "my-session" \}\)/);
  });

  it("opens lists by id", async () => {
    const store = closing(snapshotStore(temporaryDirectory()));
    const list = createTracker({ store }).list(ID);
    expect(await list.set([{ text: "Cut" }])).toMatchObject({ ok: true });
  });

  it("can be copied", async () => {
    const store = closing(snapshotStore(temporaryDirectory()));
    const copy = { ...createTracker({ store }) };
    expect(await copy.tracks()).toEqual([]);
    const named = { ...createTracker({ store, session: "ann" }) };
    expect(named.own.id.session).toBe("ann");
  });

  it("keeps trackers with sessions apart", async () => {
    const store = closing(snapshotStore(temporaryDirectory()));
    const ann = createTracker({ store, session: "ann" });
    const bob = createTracker({ store, session: "bob" });
    await ann.own.set([{ text: "Cut" }]);
    expect(await bob.own.get()).toEqual([]);
    expect(ann.tools().map(({ name }) => name)).toEqual(["todos"]);
  });
});

describe("tracker.close", () => {
  it("leaves a passed store open and ends its own subscriptions", async () => {
    const store = memoryStore();
    const [first, second] = [createTracker({ store }), createTracker({ store })];
    const seen: string[] = [];
    first.own.subscribe(() => seen.push("list"));
    first.watch(() => seen.push("tracker"));
    second.own.set([{ text: "Cut" }]);
    expect(seen).toEqual(["list", "tracker"]);
    await first.close();
    await first.close();
    second.own.set([{ text: "Cut" }, { text: "Paste" }]);
    expect(seen).toEqual(["list", "tracker"]);
    expect(second.own.get()).toHaveLength(2);
    expect(() => first.own.get()).toThrow(/The tracker is closed/);
  });

  it("closes the memory store that the tracker created", async () => {
    const tracker = createTracker();
    await tracker.close();
    expect(() => tracker.own.get()).toThrow(/closed/);
  });
});

describe("tools", () => {
  it("rejects unknown tool names and suggests the nearest", () => {
    const { own } = createTracker();
    const todo = () => todoTools(own, { tools: [untyped("TodoWrit")] });
    expect(todo).toThrow(TypeError);
    expect(todo).toThrow('Unknown tool "TodoWrit". Did you mean TodoWrite? Known tools: todos, ');
    expect(() => createTracker().tools({ tools: [untyped("nothing-like-it")] })).toThrow(
      /Unknown tool "nothing-like-it"\. Known tools: /,
    );
    expect(() => taskTools(memoryTaskStore(), { tools: [untyped("task")] })).toThrow(
      'Unknown tool "task". Did you mean tasks? Known tools: tasks, TaskCreate',
    );
  });

  it("rejects duplicate tools", () => {
    expect(() => createTracker().tools({ tools: ["todos", "todos"] })).toThrow(/named twice/);
  });

  it("rejects tools that are not a list of names", () => {
    expect(() => createTracker().tools({ tools: untyped("todos") })).toThrow(
      /tools: expected an array of tool names, got a string/,
    );
  });

  it("reports a missing list or task store", () => {
    expect(() => todoTools(untyped(undefined))).toThrow(/todoTools\(list\).*tracker\.own/);
    expect(() => todoTools(untyped(createTracker()))).toThrow(/todoTools\(list\).*tracker\.own/);
    expect(() => taskTools(untyped(undefined))).toThrow(/taskTools\(store\).*memoryTaskStore\(\)/);
  });
});

describe("observe", () => {
  it("rejects unknown types and suggests the nearest", () => {
    const { own } = createTracker();
    const observe = () => own.observe({ type: untyped("tool.start") });
    expect(observe).toThrow(TypeError);
    expect(observe).toThrow('Unknown observation type "tool.start". Did you mean tool.started?');
    expect(() => own.observe(untyped(undefined))).toThrow(/observe\(seen\).*got undefined/);
    expect(() => own.observe([untyped("turn.completed")])).toThrow(/observe\(seen\).*got a string/);
    expect(own.read().version).toBe(0);
  });

  it("rejects on an asynchronous store as well", () => {
    const store = closing(snapshotStore(temporaryDirectory()));
    const { own } = createTracker({ store, session: "ann" });
    expect(() => own.observe({ type: untyped("tool.start") })).toThrow(TypeError);
  });
});

describe("apply of a task store", () => {
  const op = { op: "add", tasks: [{ subject: "Cut" }] } as const;
  const wanted = /apply\(op, sender\).*\{ by: "agent", via: "my-program" \}/;

  it.for([[undefined], ["agent"], [{}], [{ by: "robot", via: "x" }], [{ by: "agent" }]])(
    "rejects %j as sender",
    async ([sender]) => {
      const memory = memoryTaskStore();
      expect(() => memory.apply(op, untyped(sender))).toThrow(TypeError);
      expect(() => memory.apply(op, untyped(sender))).toThrow(wanted);
      expect(memory.list()).toEqual([]);
    },
  );

  it("rejects a missing sender and op on SQLite", async () => {
    const store = await sqliteTaskStore(join(temporaryDirectory(), "tasks.db"));
    try {
      await expect(store.apply(op, untyped(undefined))).rejects.toThrow(wanted);
      await expect(store.apply(untyped(undefined), { by: "agent", via: "test" })).rejects.toThrow(
        /apply\(op, sender\): op must be an object/,
      );
    } finally {
      await store.close();
    }
  });
});

describe("stores on SQLite", () => {
  const open = { sqliteStore, sqliteTaskStore };

  it.for(["sqliteStore", "sqliteTaskStore"] as const)(
    "%s creates missing directories only with the option",
    async (name) => {
      const path = join(temporaryDirectory(), "missing", "deeper", "todos.db");
      const opening = open[name](path);
      await expect(opening).rejects.toMatchObject({ code: "no_directory" });
      await expect(opening).rejects.toThrow(
        `The directory ${dirname(path)} does not exist. Create it, or open the store with { createDirectory: true }.`,
      );
      expect(existsSync(dirname(dirname(path)))).toBe(false);
      const store = await open[name](path, { createDirectory: true });
      expect(existsSync(path)).toBe(true);
      await store.close();
    },
  );
});
