// Written by scripts/agent-data.mjs from the registry of agents. Do not edit.
import type { TaskFilesPart } from "../../tasks/formats/format.ts";
import { identity as claudeCode } from "../claude-code/identity.ts";
import { taskFiles as claudeCodeTaskFiles } from "../claude-code/task-files.ts";
import type { Identity } from "../identity.ts";

interface Entry {
  readonly identity: Identity;
  readonly taskFiles: TaskFilesPart;
}

/** The agents whose folder has a `task-files.ts`, in the order of the registry. */
export const TASK_FILES: readonly Entry[] = [
  {
    identity: claudeCode,
    taskFiles: claudeCodeTaskFiles,
  },
];
