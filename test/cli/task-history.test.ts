import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TaskEvent } from "../../src/tasks/model.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { type Machine, newMachine } from "./machine.ts";

const COUNT = 250;
let machine: Machine;
beforeAll(async () => {
  machine = newMachine();
  machine.run(["task", "add", "Task 1"]);
  const store = await sqliteTaskStore(join(machine.home, "waymark.db"));
  for (let number = 2; number <= COUNT; number++)
    await store.apply(
      { op: "add", tasks: [{ subject: `Task ${number}` }] },
      { by: "user", via: "test" },
    );
  await store.close();
});
afterAll(() => machine.remove());

const history = (...args: string[]) => {
  const { stdout, stderr } = machine.run(["task", "history", "--json", ...args]);
  return { numbers: (JSON.parse(stdout) as TaskEvent[]).map(({ seq }) => seq), stderr };
};
const from = (first: number) => Array.from({ length: COUNT - first + 1 }, (_, at) => first + at);

test("prints the newest 200 events and names the last one left out", () => {
  expect(history()).toEqual({
    numbers: from(51),
    stderr:
      "waymark: events up to 50 are not printed; --limit N prints the newest N, --all every one\n",
  });
  const { stdout, stderr } = machine.run(["task", "history"]);
  expect(stderr).toContain("events up to 50 are not printed");
  expect(stdout).toContain("added: Task 51 ");
  expect(stdout).not.toContain("added: Task 50 ");
});

test("prints as many events as it is asked for", () => {
  expect(history("--all")).toEqual({ numbers: from(1), stderr: "" });
  expect(history("--limit", "220")).toEqual({ numbers: from(31), stderr: "" });
  expect(history("--limit", "1000")).toEqual({ numbers: from(1), stderr: "" });
  expect(history("t7")).toEqual({ numbers: [7], stderr: "" });
  const both = machine.run(["task", "history", "--all", "--limit", "3"]);
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("--limit and --all")]);
});
