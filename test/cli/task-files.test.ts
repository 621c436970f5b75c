import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { type Machine, newMachine } from "./machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const inFolder = (...parts: string[]) => join(machine.cwd, "backlog", ...parts);
const files = (...args: string[]) => machine.run(["task", "files", ...args]);
const report = (...args: string[]) =>
  JSON.parse(machine.run(["task", "files", "--json", ...args]).stdout);
const waymark = (...args: string[]) => {
  const ran = machine.run(["task", ...args]);
  expect(ran).toMatchObject({ status: 0, stderr: "" });
};
const tasks = () => machine.json(["task", "list", "--all"]) as Task[];
const task = (id: string) => tasks().find((each) => each.id === id);
const text = (path: string) => readFileSync(inFolder(path), "utf8");

/** Writes a task file by hand. */
function write(name: string, keys: Readonly<Record<string, string>>, body = ""): string {
  mkdirSync(inFolder("tasks"), { recursive: true });
  const path = `tasks/${name}.md`;
  const lines = Object.entries(keys).map(([key, value]) => `${key}: ${value}\n`);
  writeFileSync(inFolder(path), `---\n${lines.join("")}---\n${body}`);
  return path;
}

function edit(path: string, from: string, to: string): void {
  const before = text(path);
  expect(before).toContain(from);
  writeFileSync(inFolder(path), before.replace(from, to));
}

/** Every file of the folder with its content. */
function everything(): Record<string, string> {
  const names = readdirSync(inFolder(), { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names.filter((name) => /\.\w+$/.test(name)).map((name) => [name, text(name)]),
  );
}

function twoTasks(): readonly [string, string] {
  const one = write(
    "task-1 - One",
    { id: "task-1", title: "One", status: "To Do", labels: "[a]", mine: "{x: 1} # keep" },
    "Words.\n",
  );
  const two = write("task-2 - Two", {
    id: "TASK-2",
    title: "Two",
    status: "To Do",
    dependencies: "[TASK-1, TASK-99]",
  });
  return [one, two];
}

describe("a folder and a store", () => {
  test("are in step after a sync in either direction, and a second one changes nothing", () => {
    const [one, two] = twoTasks();
    const before = everything();
    expect(files()).toMatchObject({ status: 0, stdout: "2 tasks added\n" });
    expect(everything()).toEqual(before);
    expect(task("t2")).toMatchObject({ subject: "Two", blockedBy: ["t1"] });

    waymark("edit", "t1", "--subject", "First: one", "--label", "b", "--priority", "0");
    waymark("edit", "t2", "--description", "Say\n\n## Implementation Plan\n\nso");
    edit(two, "title: Two", "title: Zwei");
    edit(one, "Words.", "Other words.");
    expect(files()).toMatchObject({ status: 0, stdout: "2 tasks changed, 2 files changed\n" });
    expect(text(one)).toBe(
      "---\nid: task-1\ntitle: 'First: one'\nstatus: To Do\nlabels: [a, b]\npriority: high\nmine: {x: 1} # keep\n---\nOther words.\n",
    );
    expect(text(two)).toContain("dependencies: [TASK-1, TASK-99]\n");
    expect(text(two)).toContain("<!-- SECTION:PLAN:BEGIN -->\nso\n<!-- SECTION:PLAN:END -->");
    expect(task("t1")?.description).toBe("Other words.");
    expect(task("t2")?.subject).toBe("Zwei");

    const after = everything();
    const events = machine.json(["task", "history"]);
    expect(files()).toMatchObject({ status: 0, stdout: "In step: 2 tasks\n" });
    expect(everything()).toEqual(after);
    expect(machine.json(["task", "history"])).toEqual(events);
  });

  test("follow each other's states: claims, done, cancelled and reopened", () => {
    const [one, two] = twoTasks();
    files();
    waymark("claim", "t1", "--as", "ann");
    expect(report().changes).toEqual([{ change: "changed file", task: "t1", file: one }]);
    expect(text(one)).toMatch(/status: In Progress\nassignee:\n {2}- '@ann'\n/);
    edit(one, "status: In Progress", "status: Done");
    expect(files().status).toBe(0);
    expect(task("t1")).toMatchObject({ status: "done", owner: "ann" });
    edit(two, "status: To Do", "status: In Progress\nassignee: ['@bob']");
    files();
    expect(task("t2")).toMatchObject({ status: "claimed", owner: "bob" });
    waymark("cancel", "t2");
    files();
    expect(existsSync(inFolder(two))).toBe(false);
    const archived = two.replace("tasks/", "archive/tasks/");
    expect(text(archived)).toContain("title: Two");
    waymark("reopen", "t2");
    files();
    expect(text(two)).toContain("status: To Do");
    renameSync(inFolder(one), inFolder("tasks/task-1 - Another name.md"));
    mkdirSync(inFolder("completed"), { recursive: true });
    renameSync(inFolder("tasks/task-1 - Another name.md"), inFolder("completed/task-1 - x.md"));
    expect(files().stdout).toBe("In step: 2 tasks\n");
  });

  test("report a change that the rules of tasks refuse, until it is allowed", () => {
    const [one, two] = twoTasks();
    files();
    edit(two, "status: To Do", "status: Done");
    const refused = files();
    expect(refused).toMatchObject({ status: 1, stdout: "1 change refused\n" });
    expect(refused.stderr).toBe(`${two}: refused. t2 is blocked by t1.\n`);
    expect(task("t2")?.status).toBe("open");
    edit(one, "status: To Do", "status: Done");
    expect(files()).toMatchObject({ status: 0, stdout: "2 tasks changed\n" });
    expect(task("t2")).toMatchObject({ status: "done", evidence: ["Forced: it was not claimed"] });
  });

  test("keep both sides of a conflict until one is edited, or a side is preferred", () => {
    const [one] = twoTasks();
    files();
    const both = () => {
      waymark("edit", "t1", "--subject", "Eins", "--label", "b");
      edit(one, "title: One", "title: Uno");
    };
    both();
    const conflict = { task: "t1", file: one, field: "title", fileValue: "Uno", taskValue: "Eins" };
    for (let time = 0; time < 2; time++) {
      expect(report()).toMatchObject({ conflicts: [conflict] });
      expect(text(one)).toContain("title: Uno");
      expect(text(one)).toContain("labels: [a, b]");
      expect(task("t1")?.subject).toBe("Eins");
    }
    expect(files()).toMatchObject({ status: 1, stdout: "1 conflict\n" });
    edit(one, "title: Uno", "title: Un");
    expect(files().status).toBe(0);
    expect(task("t1")?.subject).toBe("Un");
    waymark("edit", "t1", "--subject", "One");
    files();
    both();
    expect(files().status).toBe(1);
    expect(files("--prefer", "store").status).toBe(0);
    expect(text(one)).toContain("title: Eins");
  });

  test("are compared without a base if it was lost, and lose nothing", () => {
    const [one] = twoTasks();
    files();
    waymark("edit", "t1", "--label", "b", "--description", "Words.\n\n## Final Summary\n\ns");
    edit(one, "title: One", "title: Uno");
    rmSync(join(machine.home, "task-files"), { recursive: true });
    expect(report()).toMatchObject({
      conflicts: [{ field: "title", fileValue: "Uno", taskValue: "One" }],
      linked: 2,
    });
    expect(text(one)).toContain("labels: [a, b]");
    expect(text(one)).toContain("## Final Summary");
    expect(tasks()).toHaveLength(2);
  });

  test("are linked if the folder was imported before", () => {
    const [, two] = twoTasks();
    edit(two, "status: To Do", "status: In Progress");
    edit(two, "dependencies: [TASK-1, TASK-99]", "assignee: ['@ann']");
    expect(machine.run(["task", "import", "."]).stdout).toBe("Added 2 tasks\n");
    expect(files()).toMatchObject({ status: 0, stdout: "1 task changed\n" });
    expect(task("t2")).toMatchObject({ status: "claimed", owner: "ann" });
    expect(files().stdout).toBe("In step: 2 tasks\n");
  });

  test("leave a file alone that has conflict markers or cannot be read, and resume afterwards", () => {
    const [one, two] = twoTasks();
    files();
    const good = text(one);
    writeFileSync(inFolder(one), `${good}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n`);
    writeFileSync(inFolder(two), "---\nid: TASK-2\ntitle: &anchor x\n---\n");
    write("task-3 - Bytes", { id: "task-3", title: "x" });
    writeFileSync(inFolder("tasks/task-3 - Bytes.md"), Buffer.from([0x2d, 0xff, 0xfe]));
    waymark("edit", "t1", "--subject", "Eins");
    write("task-4 - Typo", { id: "task-4", title: "x", status: "In Progres" });
    const before = everything();
    expect(report().problems).toEqual([
      { path: one, line: 9, why: "has conflict markers of git" },
      { path: two, line: 3, why: "has a value of title that cannot be read" },
      { path: "tasks/task-3 - Bytes.md", why: "is not UTF-8 text" },
      {
        path: "tasks/task-4 - Typo.md",
        line: 4,
        why: "has a status that the configuration does not list: In Progres",
      },
    ]);
    expect(everything()).toEqual(before);
    expect(tasks().map(({ status }) => status)).toEqual(["open", "open"]);
    writeFileSync(inFolder(one), good);
    rmSync(inFolder("tasks/task-3 - Bytes.md"));
    edit("tasks/task-4 - Typo.md", "Progres", "Progress");
    files();
    expect(text(one)).toContain("title: Eins");
  });

  test("cancel the task of a deleted file only if nothing happened to it", () => {
    const [one, two] = twoTasks();
    const three = write("task-3 - Three", { id: "task-3", title: "Three" });
    files();
    waymark("edit", "t2", "--label", "new");
    waymark("claim", "t3", "--as", "ann");
    for (const path of [one, two, three]) rmSync(inFolder(path));
    expect(files("--dry-run").stdout).toBe("Would be: 1 task cancelled, 2 files restored\n");
    expect(files()).toMatchObject({ status: 0, stdout: "1 task cancelled, 2 files restored\n" });
    expect(task("t1")).toMatchObject({
      status: "cancelled",
      reason: `Its file was deleted: ${one}`,
    });
    expect(text(two)).toContain("  - new\n");
    expect(existsSync(inFolder(one))).toBe(false);
    waymark("reopen", "t1");
    expect(files().stdout).toContain("1 file restored");
    expect(text(one)).toContain("title: One");
    expect(files().stdout).toBe("In step: 3 tasks\n");
  });

  test("change nothing if most files are missing", () => {
    for (let n = 1; n <= 6; n++) write(`task-${n} - T`, { id: `task-${n}`, title: `T${n}` });
    files();
    rmSync(inFolder("tasks"), { recursive: true });
    mkdirSync(inFolder("tasks"));
    const refused = files();
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("6 of 6 files are missing");
    expect(tasks().every(({ status }) => status === "open")).toBe(true);
    expect(files("--allow-deletions").stdout).toBe("6 tasks cancelled\n");
  });

  test("keep two files with the same id as two tasks", () => {
    write("task-1 - One", { id: "task-1", title: "One" });
    files();
    write("task-1 - Another", { id: "task-1", title: "Another" });
    const { problems } = report();
    expect(problems).toMatchObject([{ path: "tasks/task-1 - Another.md" }]);
    expect(tasks().map(({ subject }) => subject)).toEqual(["One", "Another"]);
    edit("tasks/task-1 - Another.md", "title: Another", "title: Other");
    files();
    expect(tasks().map(({ subject }) => subject)).toEqual(["One", "Other"]);
  });

  test("share only tasks of the folder, subtasks of those, and what options name", () => {
    twoTasks();
    files();
    waymark("add", "Mine");
    waymark("add", "Part", "--parent", "t1");
    waymark("add", "../../etc: 'x' \u{1f600}", "--label", "api", "--blocked-by", "t3");
    expect(report("--dry-run")).toMatchObject({ dryRun: true, changes: [{ task: "t4" }] });
    expect(readdirSync(inFolder("tasks"))).toHaveLength(2);
    expect(files().stdout).toBe("1 file created\n");
    const created = () => readdirSync(inFolder("tasks")).filter((name) => /^task-w/.test(name));
    expect(created()).toEqual([expect.stringMatching(/^task-w[0-9a-z]{7} - Part\.md$/)]);
    expect(text(`tasks/${created()[0]}`)).toContain("parent_task_id: task-1\n");
    expect(files("--label", "api").stdout).toBe("1 file created\n");
    expect(created().some((name) => name.endsWith(" - etc-x.md"))).toBe(true);
    expect(files("--all").stdout).toBe("1 file created, 1 file changed\n");
    expect(files("--task", "t3").stdout).toBe("In step: 5 tasks\n");
    expect(files("--task", "t99")).toMatchObject({ status: 1 });
  });

  test("create the folder of a project that has none", () => {
    waymark("add", "Mine");
    expect(files().stderr).toContain("has no task files");
    expect(files("--all", "--dry-run")).toEqual({
      status: 1,
      stdout: "",
      stderr:
        "waymark: The folder backlog has no task files yet, and --dry-run creates nothing. Run the command without --dry-run.\n",
    });
    expect(existsSync(inFolder())).toBe(false);
    expect(existsSync(inFolder())).toBe(false);
    expect(files("--all").stdout).toBe("1 file created\n");
    expect(text("config.yml")).toContain("project_name: project\n");
    expect(files("backlog/tasks").stdout).toBe("In step: 1 task\n");
  });

  test("stay inside the folder", () => {
    twoTasks();
    const outside = join(machine.root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret.md"), "---\nid: task-5\ntitle: Secret\n---\n");
    symlinkSync(join(outside, "secret.md"), inFolder("tasks/task-5 - Secret.md"));
    mkdirSync(inFolder("archive"));
    symlinkSync(outside, inFolder("archive/tasks"));
    expect(report().problems).toEqual([
      { path: "tasks/task-5 - Secret.md", why: "is a symlink, which is not followed" },
    ]);
    waymark("cancel", "t1");
    expect(report().problems.at(-1)?.why).toContain("is not a directory of this folder");
    expect(readdirSync(outside)).toEqual(["secret.md"]);
  });

  test("refuse texts that a task cannot hold, and add the others", () => {
    twoTasks();
    write("task-3 - Bad", { id: "task-3", title: '"\\a"' });
    const ran = files();
    expect(ran).toMatchObject({ status: 1, stdout: "2 tasks added, 1 change refused\n" });
    expect(ran.stderr).toContain("task-3 - Bad.md: refused.");
    expect(ran.stderr).not.toContain("\u0007");
    expect(task("t2")?.blockedBy).toEqual(["t1"]);
  });
});
