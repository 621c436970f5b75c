import type { TaskToolId } from "../../core/guidance/prompts.ts";
import { taskCreate, taskGet, taskList, taskUpdate } from "./claude.ts";
import type { TaskTool } from "./task-tool.ts";
import { tasks } from "./tasks.ts";

/** Every tool on the team's tasks; the native one first. */
export const TASK_TOOLS: readonly TaskTool[] = [tasks, taskCreate, taskUpdate, taskGet, taskList];

/** The ids of the four task tools in the form of Claude Code, for `tools` of `taskTools`. */
export const CLAUDE_TASKS = [
  "TaskCreate",
  "TaskUpdate",
  "TaskGet",
  "TaskList",
] as const satisfies readonly TaskToolId[];

export function findTaskTool(id: string): TaskTool | undefined {
  return TASK_TOOLS.find((tool) => tool.id === id);
}
