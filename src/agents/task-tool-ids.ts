import type { TaskToolId } from "../core/guidance/prompts.ts";

/** The ids of the four task tools in the form of Claude Code, for `tools` of `taskTools`. */
export const CLAUDE_TASKS = [
  "TaskCreate",
  "TaskUpdate",
  "TaskGet",
  "TaskList",
] as const satisfies readonly TaskToolId[];
