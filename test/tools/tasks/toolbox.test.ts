import { describe, expect, it } from "vitest";
import { CLAUDE_TASKS, taskTools } from "../../../src/index.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { TASK_TOOLS } from "../../../src/tools/tasks/index.ts";

const ALL = TASK_TOOLS.map(({ id }) => id);
const YOU = { by: "user", via: "test" } as const;

function newTeam(...subjects: string[]) {
  let now = 1_000_000;
  const store = memoryTaskStore({ now: () => now });
  const tasks = subjects.map((subject) => ({ subject }));
  if (tasks.length > 0) store.apply({ op: "add", tasks }, YOU);
  const pass = (time: number) => {
    now += time;
  };
  return { store, pass };
}

function only<T>([tool]: readonly T[]): T {
  if (!tool) throw new Error("no tool");
  return tool;
}

describe("taskTools", () => {
  it("returns tasks by default, others by id, and none if disabled", () => {
    const { store } = newTeam();
    const ids = (options?: Parameters<typeof taskTools>[1]) =>
      taskTools(store, options).map(({ id }) => id);
    expect([
      ids(),
      ids({ tools: CLAUDE_TASKS }),
      ids({ tools: ALL }),
      ids({ enabled: false }),
      ids({ subagent: true }),
      ids({ subagent: true, allowSubagents: true }),
    ]).toEqual([
      ["tasks"],
      ["TaskCreate", "TaskUpdate", "TaskGet", "TaskList"],
      ALL,
      [],
      [],
      ["tasks"],
    ]);
  });

  it("returns the same fields as todoTools", () => {
    for (const tool of taskTools(newTeam().store, { tools: ALL, size: "full" })) {
      const { description, execute, examples, inputSchema, id, title, ...rest } = tool;
      expect(rest).toEqual({ name: id, readOnly: false, concurrencySafe: false, strict: true });
      expect([typeof execute, typeof title, inputSchema.type]).toEqual([
        "function",
        "string",
        "object",
      ]);
      expect([description.length > 50, examples.length > 0]).toEqual([true, true]);
    }
  });

  it("remembers the epochs of its agent and keeps agents apart", async () => {
    const { store } = newTeam("Paint", "Sweep");
    const ann = only(taskTools(store, { owner: "ann" }));
    const bob = only(taskTools(store, { owner: "bob" }));
    expect(await ann.execute({ claim: "next" })).toMatchObject({ ok: true, data: { task: "t1" } });
    expect(await bob.execute({ claim: "t1" })).toMatchObject({
      ok: false,
      rejected: [{ code: "held" }],
    });
    expect(await bob.execute({ finish: "t1" })).toMatchObject({ ok: false });
    expect(await ann.execute({ finish: "t1", evidence: "dry" })).toMatchObject({ ok: true });
    expect(store.get("t1")).toMatchObject({ status: "done", owner: "ann", evidence: ["dry"] });
  });

  it("executes a call once for each key", async () => {
    const { store } = newTeam();
    const tool = only(taskTools(store));
    for (const _ of [1, 2]) await tool.execute({ add: ["Paint"] }, { key: "call-1" });
    await tool.execute({ add: ["Sweep"] }, { key: "call-2" });
    expect(store.list().map(({ subject, author }) => [subject, author])).toEqual([
      ["Paint", "agent"],
      ["Sweep", "agent"],
    ]);
    // Two agents may number their calls alike.
    const held = [];
    for (const owner of ["ann", "bob"]) {
      const { data } = await only(taskTools(store, { owner })).execute(
        { claim: "next" },
        { key: "call-1" },
      );
      held.push(data.task);
    }
    expect(held).toEqual(["t1", "t2"]);
  });

  it("renews claims with every call, for the given lease", async () => {
    const { store, pass } = newTeam("Paint");
    const tool = only(taskTools(store, { owner: "ann", lease: 60_000 }));
    await tool.execute({ claim: "next" });
    for (let call = 0; call < 5; call++) {
      pass(50_000);
      await tool.execute({});
    }
    expect(store.get("t1")).toMatchObject({ status: "claimed", owner: "ann" });
    pass(61_000);
    expect(store.ready().map(({ id }) => id)).toEqual(["t1"]);
  });

  it("refuses writes in plan mode and in a context of offIn, but not reads", async () => {
    const { store } = newTeam("Paint");
    const before = store.events();
    const writes = [
      ["tasks", { claim: "next" }],
      ["tasks", { add: ["Sweep"] }],
      ["TaskCreate", { subject: "Sweep", description: "All" }],
      ["TaskUpdate", { taskId: "t1", status: "in_progress" }],
    ] as const;
    const tools = taskTools(store, { tools: ALL, offIn: ["git commit"] });
    const named = (id: string) => only(tools.filter((tool) => tool.id === id));
    for (const [id, input] of writes) {
      expect(await named(id).execute(input, { planMode: true })).toMatchObject({
        ok: false,
        text: expect.stringMatching(
          /^Tasks are read-only in plan mode\. .* Nothing was changed\.$/,
        ),
        rejected: [{ code: "plan_mode" }],
      });
      expect(await named(id).execute(input, { context: "git commit" })).toMatchObject({
        ok: false,
        text: 'Tasks are read-only during "git commit". Continue without updating them. Nothing was changed.',
        rejected: [{ code: "gated" }],
      });
    }
    for (const [id, input] of [
      ["tasks", {}],
      ["tasks", { show: "t1" }],
      ["TaskGet", { taskId: "t1" }],
      ["TaskList", {}],
    ] as const)
      expect(await named(id).execute(input, { planMode: true })).toMatchObject({ ok: true });
    expect(store.events()).toEqual(before);
  });

  it("refuses invalid input with a reason and never throws", async () => {
    const { store } = newTeam();
    for (const tool of taskTools(store, { tools: ALL }))
      for (const input of [null, 7, "x", [], { nothing: true }, { claim: "\u0000" }])
        expect(await tool.execute(input)).toMatchObject({ ok: false });
    expect(store.list()).toEqual([]);
  });
});
