import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { type Running, start } from "./running.ts";

let machine: Machine;
let folder: string;
let running: Running[];
let clock = 1_800_000_000;
beforeEach(() => {
  machine = newMachine();
  folder = join(machine.root, ".claude", "tasks");
  mkdirSync(join(folder, "s1"), { recursive: true });
  running = [];
});
afterEach(async () => {
  for (const { child, finished } of running) {
    child.kill("SIGINT");
    await finished;
  }
  machine.remove();
});

/** Writes a task file as Claude Code does, each a second later. */
function write(id: string, more: object = {}) {
  const task = { id, subject: `Task ${id}`, description: "", status: "pending", blocks: [] };
  const path = join(folder, "s1", `${id}.json`);
  writeFileSync(path, JSON.stringify({ ...task, blockedBy: [], ...more }, undefined, 2));
  clock += 1;
  utimesSync(path, clock, clock);
}

function follow(): Running {
  const program = start(process.execPath, [PROGRAM, "task", "import", folder, "--follow"], {
    HOME: machine.root,
    WAYMARK_HOME: machine.home,
  });
  running.push(program);
  return program;
}

interface Shown {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly owner?: string;
  readonly blockedBy: readonly string[];
}
const tasks = () =>
  (machine.json(["task", "list", "--all"]) as Shown[]).map(
    ({ subject, status, owner, blockedBy }) => [subject, status, owner, blockedBy.join()],
  );
const until = (wanted: unknown) => expect.poll(tasks, { interval: 150 }).toEqual(wanted);
const types = (id: string) =>
  (machine.json(["task", "history", id]) as { type: string }[]).map(({ type }) => type);

it("mirrors the task folders of Claude Code, each change once", async () => {
  write("1");
  write("2", { blockedBy: ["1"] });
  // Two mirrors at once apply each change once.
  const mirrors = [follow(), follow()];
  await until([
    ["Task 1", "open", undefined, ""],
    ["Task 2", "open", undefined, "t1"],
  ]);
  write("1", { status: "in_progress", subject: "Task one" });
  await until([
    ["Task one", "claimed", "s1", ""],
    ["Task 2", "open", undefined, "t1"],
  ]);
  write("1", { status: "completed", subject: "Task one" });
  write("2", { status: "in_progress", owner: "painter", blockedBy: ["1"] });
  write("3", { description: "Late" });
  await until([
    ["Task one", "done", "s1", ""],
    ["Task 2", "claimed", "painter", "t1"],
    ["Task 3", "open", undefined, ""],
  ]);
  write("2", { status: "pending", blockedBy: ["1"] });
  rmSync(join(folder, "s1", "3.json"));
  // Claude Code removes the files of completed tasks.
  rmSync(join(folder, "s1", "1.json"));
  await until([
    ["Task one", "done", "s1", ""],
    ["Task 2", "open", undefined, "t1"],
    ["Task 3", "cancelled", undefined, ""],
  ]);
  expect(["t1", "t2", "t3"].map(types)).toEqual([
    ["added", "edited", "claimed", "edited", "done"],
    ["added", "edited", "claimed", "edited", "released"],
    ["added", "cancelled"],
  ]);
  for (const mirror of mirrors) mirror.child.kill("SIGINT");
  const ended = await Promise.all(mirrors.map(({ finished }) => finished));
  expect(ended.map(({ signal, stderr }) => [signal, stderr])).toEqual([
    ["SIGINT", ""],
    ["SIGINT", ""],
  ]);
  expect(ended[0]?.stdout.toString()).toContain("t1 done\n");
  running = [];

  // A second run knows what is there.
  const again = follow();
  write("4");
  await again.untilPrinted("t4 added");
  expect(["t1", "t2", "t3"].map((id) => types(id).length)).toEqual([5, 5, 2]);
}, 60_000);

it("leaves claimed tasks alone and refuses a path that is not a folder", async () => {
  write("1");
  follow();
  await until([["Task 1", "open", undefined, ""]]);
  machine.run(["task", "claim", "t1", "--as", "bob"]);
  write("1", { status: "completed" });
  write("2");
  await until([
    ["Task 1", "claimed", "bob", ""],
    ["Task 2", "open", undefined, ""],
  ]);
  const wrong = machine.run(["task", "import", join(folder, "nowhere"), "--follow"]);
  expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining("is not a folder")]);
});
