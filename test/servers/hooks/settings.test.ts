import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { newProject, SESSION, work } from "./project.ts";

const QUIET = {};

async function projectWithFile(user: string | undefined, command = "exit 1") {
  const project = await newProject(command);
  const { machine, cwd } = project;
  const file = join(machine.root, ".config", "waymark", "config.toml");
  const projectFile = join(cwd, ".waymark", "config.toml");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  if (user !== undefined) write(file, user);
  return { ...project, file, projectFile, write };
}

const dueOf = (home: string) => readFileSync(join(home, "due", SESSION), "utf8");
/** An event that the script spools. */
const CALL = {
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_use_id: "b1",
  tool_input: { command: "ls" },
};

/** The session id is first, where the script looks for it. */
const call = { session_id: SESSION, ...CALL };

describe("hooks with configuration files", () => {
  test("run the check that the user's file names for stops, and none that a project's file names", async () => {
    const project = await projectWithFile('stop-check = "test"\n');
    work(project, QUIET);
    expect(JSON.parse(project.stop({}, QUIET))).toMatchObject({ decision: "block" });
    expect(project.runs()).toBe(1);
    const other = await projectWithFile(undefined);
    other.write(other.projectFile, 'stop-check = "test"\n');
    work(other, QUIET);
    expect(other.stop({}, QUIET)).toBe("");
    expect(other.runs()).toBe(0);
    expect(readFileSync(join(other.machine.home, "hook.log"), "utf8")).toContain(
      "A project file cannot set stop-check",
    );
  });

  test("ignore a broken file, answer as without it, and log it once", async () => {
    const project = await projectWithFile('stop-check = "test"\nascii = \n');
    work(project, QUIET);
    expect(project.stop({}, QUIET)).toBe("");
    expect(project.stop({}, { WAYMARK_STOP_CHECK: "test" })).toContain("block");
    const log = readFileSync(join(project.machine.home, "hook.log"), "utf8");
    expect(log.match(/config\.toml:2:\d+: Not valid TOML/g)).toHaveLength(1);
  });

  test("run the program after a change of a file, which schedules reminders again", async () => {
    const project = await projectWithFile(undefined);
    const { machine, hook, write, projectFile } = project;
    work(project, QUIET);
    const before = dueOf(machine.home);
    const spooled = () => hook(call, QUIET) === "" && existsSync(join(machine.home, "spool"));
    expect(spooled()).toBe(true);
    write(projectFile, 'guidance = "off"\n');
    // Older than the line: the script does not run the program for it.
    const past = Date.now() / 1_000 - 60;
    for (const path of [projectFile, dirname(projectFile)]) utimesSync(path, past, past);
    hook({ ...call, hook_event_name: "PostToolUse" }, QUIET);
    expect(dueOf(machine.home)).toBe(before);
    const future = Date.now() / 1_000 + 60;
    utimesSync(projectFile, future, future);
    hook({ ...call, hook_event_name: "PostToolUse" }, QUIET);
    expect(dueOf(machine.home)).not.toBe(before);
  });

  test("refuse list writes in an operation that the project's file names", async () => {
    const project = await projectWithFile(undefined);
    project.write(project.projectFile, 'off-in = ["commit"]\n');
    work(project, QUIET);
    const shell = {
      ...call,
      tool_input: { command: "git add . && git commit -m x" },
    };
    project.hook(shell, QUIET);
    const list = {
      ...call,
      tool_name: "TodoWrite",
      tool_use_id: "t9",
      tool_input: { todos: [{ content: "x", status: "pending", activeForm: "x" }] },
    };
    expect(project.hook(list, QUIET)).toContain("deny");
    expect(project.hook(list, { WAYMARK_OFF_IN: "" })).toBe("");
  });
});
