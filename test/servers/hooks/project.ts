import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished } from "vitest";
import { addCheck } from "../../../src/checks/checks.ts";
import { type Machine, newMachine } from "../../cli/machine.ts";
import { newRepository, temporaryDirectory, writeFiles } from "../../git/repositories.ts";

/** Hook input of Claude Code 2.1.325: a prompt, three todos that get completed, and the stop. */
export const RECORDED = readFileSync("test/fixtures/hooks/claude-code-todo-write.jsonl", "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Record<string, unknown>);
export const SESSION = RECORDED[0]?.session_id as string;
const SCRIPT = resolve("bin/waymark-hook");

export interface Project {
  readonly machine: Machine;
  readonly cwd: string;
  /** Sends an event through the script that agents run; returns the answer. */
  hook(event: Record<string, unknown>, env?: Record<string, string>): string;
  stop(more?: Record<string, unknown>, env?: Record<string, string>): string;
  runs(): number;
}

export async function newProject(command: string): Promise<Project> {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const cwd = newRepository({ "state.txt": "broken\n" });
  const count = join(temporaryDirectory(), "count");
  writeFiles(join(count, ".."), { count: "" });
  await addCheck({ home: { path: machine.home }, env: {} }, cwd, {
    name: "test",
    command: `echo run >> '${count}'; ${command}`,
    timeoutMs: 60_000,
    links: [],
  });
  const hook: Project["hook"] = (event, env = { WAYMARK_STOP_CHECK: "test" }) => {
    const { status, stdout, stderr } = spawnSync(
      "sh",
      [SCRIPT, "waymark", "hook", "--native", "claude", event.hook_event_name as string],
      {
        input: JSON.stringify({ ...event, cwd }),
        cwd,
        encoding: "utf8",
        env: {
          PATH: `${join(machine.root, "bin")}:${process.env.PATH}`,
          HOME: machine.root,
          WAYMARK_HOME: machine.home,
          ...env,
        },
      },
    );
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const last = RECORDED.at(-1) ?? {};
  return {
    machine,
    cwd,
    hook,
    stop: (more = {}, env) => hook({ ...last, ...more }, env),
    runs: () => readFileSync(count, "utf8").split("\n").length - 1,
  };
}

/** Everything before the stop; of the list writes, only the last one. */
export function work({ hook }: Project, env?: Record<string, string>): void {
  const lastWrite = RECORDED.findLast(({ hook_event_name: name }) => name === "PostToolUse");
  for (const event of [...RECORDED.slice(0, 2), lastWrite ?? {}]) hook(event, env);
}
