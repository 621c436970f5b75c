import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loadDriver } from "../../src/engines/sqlite/driver.ts";
import type { TaskEvent } from "../../src/tasks/model.ts";
import { sqliteTaskStore } from "../../src/tasks/sqlite.ts";
import { sized } from "../full.ts";
import { type Machine, newMachine } from "./machine.ts";

const COUNT = 250;
/** More than one page. */
const MANY = 2_345;
let machine: Machine;
beforeAll(async () => {
  machine = newMachine();
  machine.run(["task", "add", "Task 1"]);
  const store = await sqliteTaskStore(join(machine.home, "waymark.db"), { createDirectory: true });
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
    stderr: "Events up to 50 are not shown. Use --limit N or --all to see more.\n",
  });
  const { stdout, stderr } = machine.run(["task", "history"]);
  expect(stderr).toContain("Events up to 50 are not shown");
  expect(stdout).toContain("added: Task 51 ");
  expect(stdout).not.toContain("added: Task 50 ");
});

test("prints the number of events in --limit", () => {
  expect(history("--all")).toEqual({ numbers: from(1), stderr: "" });
  expect(history("--limit", "220")).toEqual({ numbers: from(31), stderr: "" });
  expect(history("--limit", "1000")).toEqual({ numbers: from(1), stderr: "" });
  expect(history("t7")).toEqual({ numbers: [7], stderr: "" });
  const both = machine.run(["task", "history", "--all", "--limit", "3"]);
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("--limit and --all")]);
});

test("prints a history of several pages as one", async () => {
  const paged = newMachine();
  onTestFinished(() => paged.remove());
  const none = paged.run(["task", "history", "--all", "--json"]);
  expect([none.status, none.stdout]).toEqual([0, "[]\n"]);
  paged.run(["task", "add", "Task 1"]);
  const store = await sqliteTaskStore(join(paged.home, "waymark.db"), { createDirectory: true });
  onTestFinished(() => store.close());
  const tasks = Array.from({ length: MANY - 1 }, (_, at) => ({ subject: `Task ${at + 2}` }));
  await store.apply({ op: "add", tasks }, { by: "user", via: "test" });
  const { stdout } = paged.run(["task", "history", "--all", "--json"]);
  const events = (await store.events()).map(({ at, set, ...event }) => {
    const { createdAt } = set as { createdAt?: number };
    const created = createdAt === undefined ? {} : { createdAt: new Date(createdAt).toISOString() };
    return { ...event, at: new Date(at).toISOString(), set: { ...set, ...created } };
  });
  expect(JSON.parse(stdout)).toEqual(events);
  expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`);
  const text = paged.run(["task", "history", "--all"]).stdout.trimEnd().split("\n");
  expect(text).toHaveLength(MANY + 1);
  expect(text[1]).toMatch(/^\d\d:\d\d {4}t1 added: Task 1 /);
  expect(text.at(-1)).toMatch(/^\d\d:\d\d t2345 added: Task 2345 /);
});

test("prints all of a long history with a small heap", {
  tags: ["many-tasks"],
  timeout: 120_000,
}, async () => {
  const large = newMachine();
  onTestFinished(() => large.remove());
  large.run(["task", "add", "One"]);
  const count = sized(60_000, 300_000);
  const db = (await loadDriver()).open(join(large.home, "waymark.db"));
  db.exec(`WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO task_events (at, type, task, sent_by, via, fields)
    SELECT 1700000000000 + n * 1000, 'edited', 1, 'user', 'test',
           json_object('subject', 'One that is edited for the time number ' || n) FROM numbers`);
  db.close();
  const env = { NODE_OPTIONS: "--max-old-space-size=32" };
  const json = large.bash("waymark task history --all --json | tail -c 400", { env });
  expect([json.status, json.stderr]).toEqual([0, ""]);
  expect(JSON.parse(`[{${json.stdout.slice(json.stdout.indexOf('"seq"'))}`)).toMatchObject([
    { seq: count },
  ]);
  const text = large.bash("waymark task history --all | wc -l; waymark task history t1 | wc -l", {
    env,
  });
  // A line for each event and each day.
  const days = Math.ceil((count * 1_000) / 86_400_000) + 2;
  for (const lines of text.stdout.trim().split("\n").map(Number)) {
    expect(lines).toBeGreaterThan(count);
    expect(lines).toBeLessThanOrEqual(count + days);
  }
});
