import { SETTINGS } from "../config/settings.ts";

export interface Variable {
  readonly name: string;
  readonly summary: string;
  /** Default value. */
  readonly default?: string;
}

const variables = SETTINGS.map(({ variable, summary, default: usual }) => ({
  name: variable,
  summary,
  ...(usual !== undefined && { default: usual }),
}));

/**
 * Every environment variable: the settings, the variables that Waymark sets for its child processes, and the common ones it
 * honors. Printed by `waymark help environment` and the CLI reference; a test fails if a `WAYMARK_` name in the source is
 * missing here.
 */
export const ENVIRONMENT: readonly Variable[] = [
  ...variables,
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
    name: "WAYMARK_STALLED_KIND",
    summary: "Set for the command in WAYMARK_ON_STALLED: stalled or looping",
  },
  { name: "WAYMARK_STALLED_SESSION", summary: "The session of the stalled agent" },
  {
    name: "WAYMARK_STALLED_PID",
    summary: "The process of the stalled agent, if it is certain",
  },
  { name: "NO_COLOR", summary: "Disable colors" },
  { name: "FORCE_COLOR", summary: "Use colors although the output is not a terminal" },
  { name: "COLUMNS", summary: "Width of the output when it is not a terminal", default: "80" },
  {
    name: "VISUAL, EDITOR",
    summary: "Editor for `waymark todo edit` and `waymark config edit`",
    default: "vi, or notepad on Windows",
  },
];
