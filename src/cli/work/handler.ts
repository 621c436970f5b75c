import { type CommandEnd, runCommand } from "../../checks/run/run-command.ts";
import { oneLine } from "../../core/text/escape.ts";
import type { Task } from "../../tasks/model.ts";
import type { WorkHandler } from "../../tasks/work/index.ts";
import type { Call } from "../args/command.ts";
import { taskForm } from "../print/task-form.ts";
import { taskVariables } from "./task-variables.ts";
import type { Worktree, Worktrees } from "./worktree.ts";

export interface HandlerOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly worktrees: Worktrees | undefined;
  /** The worktrees of tasks so far, by task. */
  readonly opened: Map<string, Worktree>;
}

/** Lines of output that are kept as evidence or as a reason. */
const MAX_LINES = 20;

/** Runs the command of `task work` on a task. */
export function commandHandler(
  { env, home }: Pick<Call, "env" | "home">,
  { command, cwd, worktrees, opened }: HandlerOptions,
): WorkHandler {
  return async (task, { signal }) => {
    const worktree = await worktrees?.open(task.id);
    if (worktree) opened.set(task.id, worktree);
    const directory = worktree?.path ?? cwd;
    const end = await runCommand({
      command,
      cwd: directory,
      env: { ...env, ...taskVariables(task, worktree) },
      input: `${JSON.stringify(taskForm(task))}\n`,
      signal,
    });
    const tail = end.output.split("\n").slice(-MAX_LINES).join("\n").trim();
    if (end.exitCode !== 0) throw new Error(failureOf(end, worktree, tail));
    return {
      evidence: [
        ...(worktree ? [`Branch ${worktree.branch} in ${worktree.path}`] : []),
        ...(tail === "" ? [`${oneLine(command.join(" ")).slice(0, 200)} exited with 0`] : [tail]),
      ],
      prove: async (unproven: Task) => {
        const { proveTask } = await import("../../servers/verify/task-proof.ts");
        return proveTask({ home, env }, unproven, { cwd: directory, signal });
      },
    };
  };
}

/** `exit 1`, then the last lines. */
function failureOf(
  { exitCode, signal }: CommandEnd,
  worktree: Worktree | undefined,
  tail: string,
): string {
  const how = exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit ${exitCode}`;
  const where = worktree ? ` in ${worktree.branch}` : "";
  return `${how}${where}${tail === "" ? "" : `\n${tail}`}`;
}
