import { afterEach, beforeEach, expect, test } from "vitest";
import type { Todo } from "../../src/core/model.ts";
import type { Task } from "../../src/tasks/model.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const todo = (...args: string[]) => machine.run(["todo", ...args, "--session", "s"]).stdout;
const tool = (input: unknown) => machine.tool("todos", input, "--session", "s").stdout;
const task = (...args: string[]) => machine.run(["task", ...args]);
const shown = (id: string) => machine.json(["task", "show", id]) as Task;
const todos = () =>
  (machine.json(["todos", "--session", "s"]) as { todos: Todo[] }).todos.map(({ text, status }) => [
    text,
    status,
  ]);

test("adding to a finished list says that a new one starts", () => {
  todo("add", "One", "Two");
  todo("done", "One", "Two");
  expect(todo("add", "Three")).toBe(
    "Added 3; this starts a new list, the finished one (2 todos) is in the history; 0 of 1 completed; next 3 Three\n",
  );
  expect(todo("add", "Four")).toBe("Added 4; 0 of 2 completed; next 3 Three\n");
  tool({ finish: ["3", "4"] });
  expect(tool({ add: ["Five"] })).toBe(
    '5 [ ] "Five"\n0 of 1 done.\nThis is a new list: the one before was finished.\n',
  );
  expect(tool({ add: ["Six"] })).not.toContain("new list");
});

test("promoting says what is linked already, closed, or no longer blocked", () => {
  const list =
    '- [ ] Lay <!-- {"ref":"a"} -->\n- [ ] Paint <!-- {"ref":"b","blockedBy":["a"]} -->\n';
  const options = { input: list };
  machine.run(["todo", "import", "-", "--session", "s"], options);
  expect(todo("promote", "Paint")).toBe(
    "todo 2 is task t1: Paint. It is not blocked by todo 1: only tasks block a task, so promote it too\n",
  );
  expect(todo("promote", "Paint")).toBe("todo 2 is already task t1: Paint\n");
  todo("done", "Lay");
  expect(todo("promote", "Lay")).toBe("todo 1 is task t2 (done): Lay\n");
  expect(shown("t2")).toMatchObject({ status: "done" });
});

test("reopening a task reopens the todo that it came from, and the other way round", () => {
  todo("add", "Paint", "Dry");
  todo("promote", "Paint");
  todo("done", "Paint");
  expect(shown("t1")).toMatchObject({ status: "done" });
  expect(task("reopen", "t1").stdout).toBe("Reopened t1\n");
  expect(shown("t1")).toMatchObject({ status: "open" });
  expect(todos()).toEqual([
    ["Paint", "pending"],
    ["Dry", "pending"],
  ]);
  task("cancel", "t1");
  expect(todos()[0]).toEqual(["Paint", "cancelled"]);
  todo("reopen", "Paint");
  expect(todos()[0]).toEqual(["Paint", "pending"]);
  expect(shown("t1")).toMatchObject({ status: "open" });
  todo("done", "Paint");
  expect(shown("t1")).toMatchObject({ status: "done" });
});
