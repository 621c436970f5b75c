import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

function write(name: string, content: string): void {
  const path = join(machine.cwd, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
}

const run = (...args: string[]) => machine.run(["task", "import", ...args]);
const bring = (...args: string[]) => machine.json(["task", "import", ...args]);
const tasks = () => machine.json(["task", "list", "--all"]) as Task[];
const ties = () => tasks().map(({ subject, blockedBy }) => [subject, blockedBy]);

describe("repeated imports", () => {
  test("distinguish tasks of Claude Code by their list", () => {
    write("lists/list1/1.json", '{"id":"1","subject":"A"}');
    write("lists/list1/2.json", '{"id":"2","subject":"B","blockedBy":["1"]}');
    write("lists/list2/1.json", '{"id":"1","subject":"C"}');
    write("lists/list2/2.json", '{"id":"2","subject":"D","blockedBy":["1"]}');
    const all = ["lists", "--from", "claude"];
    expect(bring(...all)).toEqual({ read: 4, added: 4, known: 0, skipped: [] });
    expect(ties()).toEqual([
      ["A", []],
      ["B", ["t1"]],
      ["C", []],
      ["D", ["t3"]],
    ]);
    for (const again of [all, ["lists/list2"], ["lists/list2/1.json", "--from", "claude"]])
      expect(bring(...again)).toMatchObject({ added: 0 });
  });

  test.each([
    ["jsonl", '{"id":"t1","subject":"AAA"}', '{"id":"t1","subject":"BBB"}'],
    ["task-master", '{"tasks":[{"id":1,"title":"AAA"}]}', '{"tasks":[{"id":1,"title":"BBB"}]}'],
    ["markdown", '- [ ] AAA <!-- {"ref":"t1"} -->', '- [ ] BBB <!-- {"ref":"t1"} -->'],
  ])("distinguish standard input by its whole text: %s", (kind, first, second) => {
    const pipe = (input: string) =>
      machine.run(["task", "import", "-", "--from", kind, "--json"], { input });
    const added = [first, second, first, second].map(
      (input) => JSON.parse(pipe(input).stdout).added,
    );
    expect(added).toEqual([1, 1, 0, 0]);
    expect(tasks().map(({ subject }) => subject)).toEqual(["AAA", "BBB"]);
  });

  test("are counted by a dry run, which creates nothing", () => {
    write("one.md", "- [ ] A\n- [ ] B\n");
    const dry = () => bring("one.md", "--dry-run");
    expect(dry()).toEqual({ read: 2, added: 2, known: 0, skipped: [], dryRun: true });
    expect(existsSync(machine.home)).toBe(false);
    bring("one.md");
    write("one.md", "- [ ] A\n- [ ] B\n- [ ] C\n");
    expect(dry()).toEqual({ read: 3, added: 1, known: 2, skipped: [], dryRun: true });
    expect(tasks()).toHaveLength(2);
  });

  test("report a task that is twice in the same file", () => {
    write("two.jsonl", '{"id":"x","subject":"A"}\n{"id":"x","subject":"B"}\n');
    expect(bring("two.jsonl")).toMatchObject({ read: 1, added: 1, known: 0 });
    expect(run("two.jsonl").stderr).toBe("Skipped: x is there twice; the first one counts\n");
  });

  test("distinguish tasks by their backlog, whichever part of it is named", () => {
    write("bl/backlog/tasks/task-1 - A.md", "---\nid: task-1\ntitle: A\n---\n");
    write("bl/backlog/completed/task-2 - B.md", "---\nid: task-2\ntitle: B\n---\n");
    write("other/backlog/tasks/task-1 - C.md", "---\nid: task-1\ntitle: C\n---\n");
    symlinkSync(join(machine.cwd, "bl"), join(machine.cwd, "link"));
    const part = ["bl/backlog/completed", "--from", "backlog"];
    expect(bring(...part)).toMatchObject({ added: 1, known: 0 });
    expect(bring("bl")).toMatchObject({ added: 1, known: 1 });
    for (const again of [
      part,
      ["bl/backlog"],
      ["bl/backlog/tasks", "--from", "backlog"],
      ["bl/backlog/tasks/task-1 - A.md", "--from", "backlog"],
      ["link"],
    ])
      expect(bring(...again)).toMatchObject({ added: 0 });
    expect(bring("other")).toMatchObject({ added: 1, known: 0 });
    expect(tasks().map(({ subject, status }) => [subject, status])).toEqual([
      ["B", "done"],
      ["A", "open"],
      ["C", "open"],
    ]);
  });

  test("identify a JSON line without id by its content", () => {
    write("lines.jsonl", '{"subject":"A"}\n{"subject":"A"}\n{"subject":"A","priority":1}\n');
    expect(bring("lines.jsonl")).toMatchObject({ added: 3, known: 0 });
    expect(bring("lines.jsonl")).toMatchObject({ added: 0, known: 3 });
  });
});

describe("unreadable files", () => {
  test("broken links and binary files are skipped and reported", () => {
    write("team/1.json", '{"id":"1","subject":"A"}');
    symlinkSync("nowhere", join(machine.cwd, "team/2.json"));
    writeFileSync(join(machine.cwd, "team/3.json"), Buffer.from([0xff, 0xfe]));
    expect(bring("team")).toEqual({
      read: 1,
      added: 1,
      known: 0,
      skipped: [
        { where: "2.json", why: "is a broken link" },
        { where: "3.json", why: "is not UTF-8 text" },
      ],
    });
  });

  test.each([["nope.md"], ["plan.md/x"], ["n".repeat(300)], ["circle"]])(
    "%s is refused like every unreadable file",
    (path) => {
      write("plan.md", "- [ ] A\n");
      symlinkSync("circle", join(machine.cwd, "circle"));
      const { status, stderr } = run(path);
      expect(stderr).toMatch(
        new RegExp(`^waymark: Cannot read ${path}: .*Name a file or a folder`),
      );
      expect(status).toBe(3);
      expect(run(path, "--follow")).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("is not a folder"),
      });
    },
  );

  test("exit with 1 if everything was skipped, and create nothing", () => {
    write("all.jsonl", '{"subject":"A"}\n{"subject":"B"}\n');
    for (const more of [["--dry-run"], ["--json"], []])
      expect(run("all.jsonl", "--from", "beads", ...more).status).toBe(1);
    expect(existsSync(machine.home)).toBe(false);
  });

  test("are counted and named", () => {
    write("tasks.json", '{"tasks":[{"id":2,"title":"A","dependencies":[99]}]}');
    expect(run("tasks.json")).toEqual({
      status: 0,
      stdout: "Added 1 task\n",
      stderr: "Skipped: 2 names 99, which is not there\n",
    });
  });
});

test("reports an unreadable home directory", () => {
  write("plan.md", "");
  expect(machine.run(["ls", "--home", "plan.md/x"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Invalid --home "plan.md/x". Use an existing directory.'),
  });
});
