import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serveProgram } from "../servers/mcp/clients.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const S = ["--session", "s"] as const;
interface Listed {
  readonly todos: readonly {
    readonly id: string;
    readonly text: string;
    readonly status: string;
    readonly task?: string;
    readonly evidence?: readonly string[];
  }[];
}
const list = (session = "s") =>
  (machine.json(["todos", "--session", session]) as Listed).todos.map(({ text, status, task }) => [
    text,
    status,
    task,
  ]);
const task = (id: string) =>
  machine.json(["task", "show", id]) as {
    readonly status: string;
    readonly owner?: string;
    readonly ref?: string;
    readonly evidence: readonly string[];
    readonly blockedBy: readonly string[];
    readonly reason?: string;
  };
const events = (id: string) =>
  (machine.json(["task", "history", id]) as { type: string }[]).map(({ type }) => type);

function run(...args: string[]) {
  const ran = machine.run(args);
  expect({ args, status: ran.status, stderr: ran.stderr }).toEqual({ args, status: 0, stderr: "" });
  return ran.stdout;
}
function tool(input: object, name = "tasks", session = "s") {
  const ran = machine.tool(name, input, "--session", session);
  expect({ input, status: ran.status, stderr: ran.stderr }).toEqual({
    input,
    status: 0,
    stderr: "",
  });
  return ran.stdout;
}

describe("a claimed task is a todo of its owner", () => {
  it("appears when it is claimed, in progress if nothing else is, and is completed with the todo", () => {
    run("task", "add", "Paint");
    run("task", "add", "Sweep");
    tool({ claim: "t1" });
    tool({ claim: "t2" });
    expect(list()).toEqual([
      ["Paint", "in_progress", "t1#1"],
      ["Sweep", "pending", "t2#1"],
    ]);
    expect(tool({}, "todos")).toContain('1 [>] "Paint" (task t1)');
    tool({ finish: ["1"], start: "2", evidence: "a photo" }, "todos");
    expect(task("t1")).toMatchObject({ status: "done", owner: "s", evidence: ["a photo"] });
    expect(task("t2")).toMatchObject({ status: "claimed", owner: "s" });
    tool({ finish: "t2", evidence: "no dust" });
    expect(list()).toEqual([
      ["Paint", "completed", "t1#1"],
      ["Sweep", "completed", "t2#1"],
    ]);
    // Each was completed once: the two sides do not trigger each other.
    expect([events("t1"), events("t2")]).toEqual([
      ["added", "claimed", "done"],
      ["added", "claimed", "done"],
    ]);
    expect(machine.json(["history", ...S])).toHaveLength(7);
  });

  it("is released when the todo is dropped, dropped when the task is released, and can be claimed again", () => {
    run("task", "add", "Paint");
    tool({ claim: "t1" });
    run("todo", "drop", "1", ...S);
    expect(task("t1")).toMatchObject({
      status: "open",
      reason: "It was dropped from the holder's list.",
    });
    tool({ claim: "t1" });
    expect(list()).toEqual([["Paint", "in_progress", "t1#2"]]);
    tool({ release: "t1" });
    expect(list()).toEqual([["Paint", "cancelled", "t1#2"]]);
    expect(task("t1")).toMatchObject({ status: "open" });
  });

  it("leaves the list of its previous owner, and is not completed by a todo of an expired claim", () => {
    run("task", "add", "Paint");
    tool({ claim: "t1" });
    tool({ todos: [{ text: "Own work" }] }, "todos", "bob");
    run("task", "assign", "t1", "--to", "bob");
    expect(list("bob")).toEqual([
      ["Own work", "pending", undefined],
      ["Paint", "in_progress", "t1#2"],
    ]);
    expect(list()).toEqual([["Paint", "cancelled", "t1#1"]]);
    run("todo", "reopen", "1", ...S);
    run("todo", "done", "1", ...S);
    expect(task("t1")).toMatchObject({ status: "claimed", owner: "bob" });
    run("task", "cancel", "t1", "--reason", "no wall");
    expect(list("bob")[1]).toEqual(["Paint", "cancelled", "t1#2"]);
    // The user did it, so the agent receives a notice.
    expect(tool({}, "todos", "bob")).toContain("The user changed your list before this call");
  });

  it("shows in the list of an MCP client, wherever it is completed", async () => {
    run("task", "add", "Paint");
    const { client, ended } = serveProgram(["--tools", "todos,tasks"], { home: machine.home });
    await client.initialize();
    await client.call({ claim: "next" }, "tasks");
    expect((await client.call({})).text).toContain('1 [>] "Paint" (task t1)');
    await client.call({ finish: ["1"] });
    expect((await client.call({ find: "done" }, "tasks")).text).toMatch(/^t1 /);
    client.end();
    await ended;
  });
});

describe("a promoted todo", () => {
  it("becomes a task once, with its blockers, and is completed with the task", () => {
    const todos = [
      { id: "1", content: "Paint", status: "pending" },
      { id: "2", content: "Sweep", status: "pending", blockedBy: ["1"] },
    ];
    tool({ todos }, "todo_write.qwen");
    expect(run("todo", "promote", "1", "2", "--priority", "1", ...S)).toBe(
      "todo 1 is task t1: Paint\ntodo 2 is task t2: Sweep\n",
    );
    expect(machine.json(["todo", "promote", "1", ...S])).toEqual({
      promoted: [{ todo: "1", text: "Paint", task: "t1" }],
    });
    expect(list()).toEqual([
      ["Paint", "pending", "t1"],
      ["Sweep", "pending", "t2"],
    ]);
    expect(task("t1")).toMatchObject({ status: "open", ref: "todo:s#1", priority: 1 });
    expect(task("t2").blockedBy).toEqual(["t1"]);
    tool({ claim: "t1" }, "tasks", "bob");
    tool({ finish: "t1", evidence: "dry" }, "tasks", "bob");
    expect(list()[0]).toEqual(["Paint", "completed", "t1"]);
    expect(list("bob")).toEqual([["Paint", "completed", "t1#1"]]);
    run("todo", "done", "2", ...S);
    expect(task("t2")).toMatchObject({ status: "done" });
  });

  it("in progress is claimed for the agent of its list", () => {
    run("todo", "add", "Paint", "--start", ...S);
    run("todo", "promote", "Paint", ...S);
    expect(task("t1")).toMatchObject({ status: "claimed", owner: "s" });
    expect(list()).toEqual([["Paint", "in_progress", "t1#1"]]);
    const refused = machine.run(["todo", "promote", "Swim", ...S]);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining("No todo matches"),
    ]);
  });
});
