import { GUIDANCE_PRESETS } from "../core/list/policy.ts";
import { REMINDER_KINDS } from "../core/model.ts";

export interface Variable {
  readonly name: string;
  readonly summary: string;
  /** Default value. */
  readonly default?: string;
}

/**
 * Every environment variable that Waymark itself defines, and the common ones it honors. Printed by `waymark help
 * environment` and the CLI reference; a test fails if a `WAYMARK_` name in the source is missing here.
 */
export const ENVIRONMENT: readonly Variable[] = [
  {
    name: "WAYMARK_HOME",
    summary: "Directory for lists, tasks and settings",
    default: "the data directory of the system, e.g. ~/.local/share/waymark",
  },
  {
    name: "WAYMARK_STORE",
    summary: "PostgreSQL URL of a task store shared between machines, e.g. postgres://user@host/db",
    default: "this machine",
  },
  {
    name: "WAYMARK_SQLITE_DRIVER",
    summary: "SQLite driver, node or libsql",
    default: "node, or libsql if Node has none",
  },
  { name: "WAYMARK_TOOLS", summary: "off refuses every tool call of a model" },
  {
    name: "WAYMARK_MAX_TODOS",
    summary: "Maximum number of todos in a list that an agent writes",
    default: "20",
  },
  {
    name: "WAYMARK_GUIDANCE",
    summary: `off disables all reminders; or the kinds to disable, comma-separated: ${REMINDER_KINDS.join(", ")}`,
  },
  {
    name: "WAYMARK_GUIDANCE_PRESET",
    summary: `How often agents are reminded: ${Object.keys(GUIDANCE_PRESETS).join(", ")}`,
  },
  {
    name: "WAYMARK_PLAN_EVERY",
    summary: "Turns between reminders that plan mode is on",
    default: "0, never",
  },
  {
    name: "WAYMARK_OFF_IN",
    summary: "Refuse list writes during these operations: commit, pull-request, or both",
  },
  {
    name: "WAYMARK_STOP_CHECK",
    summary:
      "Name of the check that runs when an agent stops with completed todos that are not proven; 1 for the default check",
    default: "none",
  },
  {
    name: "WAYMARK_STOP_CHECK_TIMEOUT",
    summary: "Time limit of that check; the agent's own limit for hooks has to be longer",
    default: "50s",
  },
  {
    name: "WAYMARK_COLLISIONS",
    summary:
      "Notify agents that edit the same file: worktree, repository (also in other worktrees of it), or off",
    default: "worktree",
  },
  {
    name: "WAYMARK_COLLISION_WINDOW",
    summary: "Time for which an edit by another agent counts",
    default: "15m",
  },
  {
    name: "WAYMARK_STALL_AFTER",
    summary: "Time without activity after which an agent counts as stalled",
    default: "60s",
  },
  {
    name: "WAYMARK_STALL_AFTER_RUNNING",
    summary: "The same while a command runs",
    default: "5m, or three times its longest earlier run",
  },
  {
    name: "WAYMARK_CLEAR_DELAY",
    summary: "Hide a todo this long after it was closed: seconds, 90s, 5m or off",
    default: "only a finished list, after 60s; the board and the page hide none",
  },
  {
    name: "WAYMARK_ARCHIVE_AFTER",
    summary: "Archive sessions without a change for this long, e.g. 7d, unless they wait for you",
    default: "off",
  },
  {
    name: "WAYMARK_NOTIFY",
    summary:
      "Notify when an agent needs you, finishes, stalls or loops: desktop, bell, webhook=URL",
  },
  {
    name: "WAYMARK_PRICES",
    summary: "JSON file with prices of models, which take precedence over the built-in ones",
  },
  {
    name: "WAYMARK_TASK_ID",
    summary: "Set by `waymark task work` for its command: the id of the task",
  },
  {
    name: "WAYMARK_TASK_SUBJECT",
    summary: "The subject of the task",
  },
  {
    name: "WAYMARK_TASK_DESCRIPTION",
    summary: "The description of the task, at most 64 KiB; standard input has all of it",
  },
  {
    name: "WAYMARK_TASK_LABELS",
    summary: "The labels of the task, comma-separated",
  },
  {
    name: "WAYMARK_TASK_PRIORITY",
    summary: "The priority of the task, 0 to 4",
  },
  {
    name: "WAYMARK_TASK_ATTEMPT",
    summary: "The number of the attempt, from 1",
  },
  {
    name: "WAYMARK_TASK_OWNER",
    summary: "The owner of the task: the worker",
  },
  {
    name: "WAYMARK_TASK_EPOCH",
    summary: "The epoch of the claim",
  },
  {
    name: "WAYMARK_TASK_DEADLINE",
    summary: "The deadline of the task in ISO 8601, if it has one",
  },
  {
    name: "WAYMARK_TASK_BRANCH",
    summary: "The branch of the task, with --worktree",
  },
  {
    name: "WAYMARK_TASK_WORKTREE",
    summary: "The directory of the worktree of the task, with --worktree",
  },
  {
    name: "WAYMARK_ASCII",
    summary: "1 draws with ASCII only, as TERM=linux and locales without UTF-8 do",
  },
  {
    name: "WAYMARK_NO_MOUSE",
    summary: "1 leaves the mouse to the terminal while the board is open",
  },
  { name: "WAYMARK_DEBUG", summary: "1 prints the stack trace of an error" },
  { name: "NO_COLOR", summary: "Disable colors" },
  { name: "FORCE_COLOR", summary: "Use colors although the output is not a terminal" },
  { name: "COLUMNS", summary: "Width of the output when it is not a terminal", default: "80" },
  {
    name: "VISUAL, EDITOR",
    summary: "Editor for `waymark todo edit`",
    default: "vi, or notepad on Windows",
  },
];
