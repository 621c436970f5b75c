import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Task } from "../../src/tasks/model.ts";
import { pause, until } from "../until.ts";
import { type Machine, newMachine, PROGRAM } from "./machine.ts";
import { start } from "./running.ts";

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

function write(project: string, id: string, title: string, more = ""): void {
  mkdirSync(join(project, "backlog", "tasks"), { recursive: true });
  const name = `${id.toLowerCase()} - ${title.replaceAll(" ", "-")}.md`;
  const top = `id: ${id}\ntitle: ${title}\nstatus: To Do\n${more}`;
  writeFileSync(join(project, "backlog", "tasks", name), `---\n${top}---\n`);
}

const names = (project: string) => readdirSync(join(project, "backlog", "tasks")).sort();
const contents = (project: string) =>
  names(project).map((name) => readFileSync(join(project, "backlog", "tasks", name), "utf8"));
const tasks = (on: Machine = machine) => on.json(["task", "list", "--all"]) as Task[];
const subjects = (on?: Machine) => tasks(on).map(({ subject }) => subject);

function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  const ran = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout;
}

function commit(cwd: string, message: string): void {
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", message);
}

function sync(project: string, on = machine, ...args: string[]): string {
  const { stdout, stderr, status } = on.run(["task", "files", ...args], { cwd: project });
  expect([0, 1]).toContain(status);
  return stdout + stderr;
}

describe("--watch", () => {
  test("carries changes of files and of the store to the other side", async () => {
    write(machine.cwd, "TASK-1", "One");
    const env = { WAYMARK_HOME: machine.home, HOME: machine.root };
    const watching = start(
      process.execPath,
      [PROGRAM, "task", "files", join(machine.cwd, "backlog"), "--watch"],
      env,
    );
    await watching.untilPrinted("1 task added");
    write(machine.cwd, "TASK-2", "Two", "dependencies: [TASK-1]\n");
    await until(() => subjects().includes("Two"), "the new file in the store");
    machine.run(["task", "edit", "t1", "--subject", "First"]);
    await until(
      () => contents(machine.cwd)[0]?.includes("title: First") === true,
      "the new title in the file",
    );
    rmSync(join(machine.cwd, "backlog", "tasks", "task-2 - Two.md"));
    await until(() => tasks()[1]?.status === "cancelled", "the deleted file in the store");
    watching.child.kill("SIGINT");
    const { signal, stderr } = await watching.finished;
    expect({ signal, stderr }).toEqual({ signal: "SIGINT", stderr: "" });
  });
});

describe("a sync that is killed", () => {
  test("loses nothing, whenever it happens", async () => {
    const project = machine.cwd;
    for (let n = 1; n <= 6; n++) write(project, `TASK-${n}`, `T${n}`);
    sync(project);
    const env = { WAYMARK_HOME: machine.home, HOME: machine.root };
    const state = join(machine.home, "task-files");
    const isLocked = () => readdirSync(state).some((name) => name.endsWith(".lock"));
    for (let round = 0; round < 5; round++) {
      for (let n = 1; n <= 6; n++) {
        const name = names(project).find((each) => each.startsWith(`task-${n} `)) ?? "";
        const path = join(project, "backlog", "tasks", name);
        const text = readFileSync(path, "utf8");
        if (n % 2 === 0)
          writeFileSync(path, text.replace(/title: .*/, `title: file ${round} ${n}`));
        else machine.run(["task", "edit", `t${n}`, "--subject", `store ${round} ${n}`]);
      }
      const running = start(
        process.execPath,
        [PROGRAM, "task", "files", join(project, "backlog")],
        env,
      );
      await until(isLocked, "the begin of the sync", { interval: 1 });
      await pause(round * 12, "the sync gets further in each round");
      running.child.kill("SIGKILL");
      await running.finished;
      expect(sync(project)).not.toContain("conflict");
      const wanted = Array.from(
        { length: 6 },
        (_, at) => `${at % 2 === 1 ? "file" : "store"} ${round} ${at + 1}`,
      );
      expect(subjects()).toEqual(wanted);
      expect(sync(project)).toBe("In step: 6 tasks\n");
      for (const title of wanted) expect(contents(project).join()).toContain(`title: ${title}\n`);
    }
  });

  test("runs beside another one without adding anything twice", async () => {
    for (let n = 1; n <= 30; n++) write(machine.cwd, `TASK-${n}`, `T${n}`);
    const ran = await Promise.all(
      Array.from({ length: 3 }, () => machine.start(["task", "files"])),
    );
    expect(ran.map(({ status }) => status)).toEqual([0, 0, 0]);
    expect(ran.map(({ stdout }) => stdout).sort()).toEqual([
      "30 tasks added\n",
      "In step: 30 tasks\n",
      "In step: 30 tasks\n",
    ]);
    expect(tasks()).toHaveLength(30);
  });
});

describe("branches of git", () => {
  test("that both added tasks merge, and every task has its own id", () => {
    const other = newMachine();
    try {
      const mine = machine.cwd;
      git(mine, "init", "-qb", "main");
      write(mine, "TASK-1", "One");
      commit(mine, "one");
      const theirs = join(other.cwd, "clone");
      git(other.cwd, "clone", "-q", mine, theirs);
      for (const [project, on, title] of [
        [mine, machine, "Mine"],
        [theirs, other, "Theirs"],
      ] as const) {
        sync(project, on);
        on.run(["task", "add", title]);
        sync(project, on, "--all");
        write(project, "TASK-2", `By hand ${title}`);
        sync(project, on);
        commit(project, title);
      }
      git(mine, "pull", "-q", "--no-rebase", "--no-edit", theirs, "main");
      const out = sync(mine);
      expect(out).toContain("both are kept");
      expect(subjects()).toEqual(
        expect.arrayContaining(["One", "Mine", "Theirs", "By hand Mine", "By hand Theirs"]),
      );
      expect(subjects()).toHaveLength(5);
      const ids = names(mine).map((name) => name.split(" ")[0]);
      expect(ids.filter((id) => id?.startsWith("task-w"))).toHaveLength(2);
      expect(new Set(ids).size).toBe(4);
    } finally {
      other.remove();
    }
  });

  test("that are checked out change neither tasks nor files by themselves", () => {
    const project = machine.cwd;
    git(project, "init", "-qb", "main");
    write(project, "TASK-1", "One");
    commit(project, "one");
    git(project, "branch", "old");
    write(project, "TASK-2", "Two");
    writeFileSync(
      join(project, "backlog", "tasks", "task-1 - One.md"),
      "---\nid: TASK-1\ntitle: Uno\nstatus: To Do\n---\n",
    );
    commit(project, "two");
    sync(project);
    git(project, "checkout", "-q", "old");
    // The task is newer than this branch, which never changed it.
    expect(sync(project)).toBe("1 file changed\n");
    expect(tasks()).toMatchObject([{ subject: "Uno" }, { subject: "Two", status: "open" }]);
    machine.run(["task", "done", "t2", "--force"]);
    machine.run(["task", "edit", "t1", "--label", "late"]);
    sync(project);
    commit(project, "sync");
    git(project, "checkout", "-q", "main");
    expect(sync(project)).toBe("2 files changed\n");
    expect(tasks()).toMatchObject([{ subject: "Uno", labels: ["late"] }, { status: "done" }]);
    const tree = join(machine.root, "tree");
    git(project, "worktree", "add", "-q", "-b", "third", tree, "main");
    // The last sync was not committed, so the new branch does not have it.
    expect(sync(tree)).toBe("2 files changed\n");
    expect(tasks()).toMatchObject([{ subject: "Uno", labels: ["late"] }, { status: "done" }]);
    expect(sync(tree)).toBe("In step: 2 tasks\n");
  });

  test("in the middle of a rebase are left alone", () => {
    const project = machine.cwd;
    git(project, "init", "-qb", "main");
    write(project, "TASK-1", "One");
    commit(project, "one");
    mkdirSync(join(project, ".git", "rebase-merge"));
    expect(sync(project)).toContain("git is in the middle of a rebase");
    expect(existsSync(machine.home) && existsSync(join(machine.home, "task-files"))).toBe(false);
  });

  test("copied with their repository keep their tasks", () => {
    const project = machine.cwd;
    git(project, "init", "-qb", "main");
    write(project, "TASK-1", "One");
    commit(project, "one");
    sync(project);
    const copy = join(machine.root, "copy");
    cpSync(project, copy, { recursive: true });
    expect(sync(copy)).toBe("In step: 1 task\n");
    expect(tasks()).toHaveLength(1);
  });
});
