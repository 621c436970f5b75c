import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exactPackages, installPackages } from "../../scripts/install-packages.mjs";
import type { Task } from "../../src/tasks/model.ts";
import { needs, reasonAgainst } from "../skipped.ts";
import { type Machine, newMachine } from "./machine.ts";

/** The program of Backlog.md, downloaded on first use. */
async function backlogProgram(): Promise<string> {
  const place = await installPackages("backlog", exactPackages({ "backlog.md": "1.52.0" }));
  return join(place, "node_modules", ".bin", "backlog");
}

let program = "";
const NO_BACKLOG = await reasonAgainst("backlog.md", async () => {
  program = await backlogProgram();
});

let machine: Machine;
beforeAll(() => {
  machine = newMachine();
});
afterAll(() => machine.remove());

function backlog(...args: string[]): string {
  const { HOME, PATH } = { HOME: machine.root, PATH: process.env.PATH };
  const env = { HOME, PATH, TZ: "UTC", LANG: "C.UTF-8", DO_NOT_TRACK: "1", CI: "1" };
  const ran = spawnSync(program, args, {
    cwd: machine.cwd,
    env,
    encoding: "utf8",
    timeout: 30_000,
  });
  if (ran.status !== 0) throw new Error(`backlog ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout;
}

const sync = (...args: string[]) => machine.run(["task", "files", ...args]);
const tasks = () => machine.json(["task", "list", "--all"]) as Task[];
const task = (subject: string) => tasks().find((each) => each.subject === subject);
const waymark = (...args: string[]) => expect(machine.run(["task", ...args]).status).toBe(0);

/** Every task file with its content. */
function contents(): Record<string, string> {
  const root = join(machine.cwd, "backlog");
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    names
      .filter((name) => name.endsWith(".md"))
      .map((name) => [name, readFileSync(join(root, name), "utf8")]),
  );
}

describe("Backlog.md 1.52 and the store", needs(NO_BACKLOG), () => {
  test("read what the other wrote, in both directions, until nothing changes", () => {
    const { status } = spawnSync("git", ["init", "-q"], { cwd: machine.cwd });
    expect(status).toBe(0);
    backlog("init", "demo", "--defaults", "--integration-mode", "none");
    backlog(
      "task",
      "create",
      'Fix: the "parser" & more, a title that is longer than eighty characters, #3 [x]',
      "-d",
      "First\n\nSecond: line",
      "-a",
      "@sara",
      "-l",
      "core,a b",
      "--priority",
      "high",
      "--ac",
      "Works, always",
      "--plan",
      "By hand",
      "-s",
      "In Progress",
    );
    backlog("task", "create", "Test it", "--dep", "task-1");
    backlog("task", "create", "Part", "-p", "task-1");

    const written = contents();
    expect(sync()).toMatchObject({ status: 0, stdout: "3 tasks added\n" });
    expect(contents()).toEqual(written);
    expect(tasks()).toMatchObject([
      {
        subject: 'Fix: the "parser" & more, a title that is longer than eighty characters, #3 [x]',
        description:
          "First\n\nSecond: line\n\n## Acceptance Criteria\n- [ ] #1 Works, always\n\n## Implementation Plan\n\nBy hand",
        status: "claimed",
        owner: "sara",
        priority: 1,
        labels: ["core", "a b"],
      },
      { subject: "Part", parent: "t1" },
      { subject: "Test it", blockedBy: ["t1"] },
    ]);

    // The store changes; Backlog.md shows it.
    waymark(
      "edit",
      "t1",
      "--subject",
      "Fix it: now",
      "--label",
      "new",
      "--description",
      "First\n\n## Acceptance Criteria\n- [x] #1 Works, always\n\n## Implementation Notes\n\nSee `a`",
    );
    waymark("claim", "t2", "--as", "bob");
    waymark(
      "add",
      "From the store",
      "--parent",
      "t1",
      "--blocked-by",
      "t3",
      "--description",
      "Hello",
      "--priority",
      "3",
    );
    expect(sync().status).toBe(0);
    const shown = backlog("task", "view", "1", "--plain");
    for (const part of [
      "TASK-1 - Fix it: now",
      "Labels: core, a b, new",
      "- [x] #1 Works, always",
      "See `a`",
    ])
      expect(shown).toContain(part);
    expect(backlog("task", "view", "1.1", "--plain")).toMatch(/In Progress[\s\S]*@bob/);
    const id =
      /\] (TASK-W\w+) - From the store/.exec(backlog("task", "list", "--plain"))?.[1] ?? "";
    const created = backlog("task", "view", id, "--plain");
    for (const part of ["TASK-2 - Test it", "Priority: Low", "Hello"])
      expect(created).toContain(part);

    // Backlog.md changes what Waymark wrote; the store has it.
    backlog(
      "task",
      "edit",
      id,
      "-t",
      "Renamed there",
      "-s",
      "Done",
      "--dep",
      "task-1.1",
      "--append-notes",
      "done so",
    );
    backlog("task", "edit", "1", "-s", "Done", "--final-summary", "It works");
    backlog("task", "create", "Next", "--dep", id);
    backlog("task", "archive", "2");
    const refused = sync();
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain("t4 is blocked by t2");
    expect(task("Fix it: now")).toMatchObject({ status: "done", owner: "sara" });
    expect(task("Fix it: now")?.description).toContain("## Final Summary\n\nIt works");
    expect(task("Test it")?.status).toBe("cancelled");
    expect(task("Renamed there")).toMatchObject({
      blockedBy: ["t2"],
      status: "open",
      parent: "t1",
    });
    expect(task("Next")?.blockedBy).toEqual(["t4"]);
    waymark("done", "t2", "--as", "bob");
    expect(sync().status).toBe(0);
    expect(task("Renamed there")?.status).toBe("done");
    expect(backlog("task", "view", "1.1", "--plain")).toContain("Done");

    // Nothing is left to do, for either.
    const last = contents();
    expect(sync().stdout).toBe("In step: 5 tasks\n");
    expect(contents()).toEqual(last);
    backlog("task", "complete", "1");
    expect(sync().stdout).toBe("In step: 5 tasks\n");
    expect(backlog("doctor")).toContain("No duplicate IDs");
  });

  test("open a folder that Waymark created", () => {
    const project = newMachine();
    try {
      project.run(["task", "add", "Alone", "--label", "x"]);
      expect(project.run(["task", "files", "--all"]).stdout).toBe("1 file created\n");
      const env = { HOME: project.root, PATH: process.env.PATH, TZ: "UTC", CI: "1" };
      const run = (...args: string[]) =>
        spawnSync(program, args, { cwd: project.cwd, env, encoding: "utf8" }).stdout;
      expect(run("task", "list", "--plain")).toMatch(/To Do:\n {2}TASK-W\w+ - Alone/);
      run("task", "create", "First by number");
      expect(run("task", "list", "--plain")).toContain("TASK-1 - First by number");
      expect(project.run(["task", "files"]).stdout).toBe("1 task added\n");
    } finally {
      project.remove();
    }
  });
});
