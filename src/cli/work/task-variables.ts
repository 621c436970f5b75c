import { cutBytes } from "../../core/text/escape.ts";
import { isoTime } from "../../core/views/json.ts";
import type { Task } from "../../tasks/model.ts";
import type { Worktree } from "./worktree.ts";

/** The system limits one variable to 128 KiB; standard input has the whole text. */
const MOST = 64 * 1024;

/** The variables that a command of `task work` gets in addition to the environment. */
export function taskVariables(
  task: Task,
  worktree: Worktree | undefined,
): Readonly<Record<string, string>> {
  const { id, subject, description = "", labels, priority, attempts, owner = "" } = task;
  const deadline = task.deadline === undefined ? undefined : isoTime(task.deadline);
  return {
    WAYMARK_TASK_ID: id,
    WAYMARK_TASK_SUBJECT: subject,
    WAYMARK_TASK_DESCRIPTION: cutBytes(description, MOST),
    WAYMARK_TASK_LABELS: labels.join(","),
    WAYMARK_TASK_PRIORITY: String(priority),
    WAYMARK_TASK_ATTEMPT: String(attempts),
    WAYMARK_TASK_OWNER: owner,
    WAYMARK_TASK_EPOCH: String(task.epoch),
    ...(deadline && { WAYMARK_TASK_DEADLINE: deadline }),
    ...(worktree && {
      WAYMARK_TASK_BRANCH: worktree.branch,
      WAYMARK_TASK_WORKTREE: worktree.path,
    }),
  };
}
