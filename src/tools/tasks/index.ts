import type { TaskToolId } from "../../core/guidance/prompts.ts";
import { taskCreate, taskGet, taskList, taskUpdate } from "./claude.ts";
import type { TaskTool } from "./task-tool.ts";
import { tasks } from "./tasks.ts";

/** Every tool on the team's tasks; the native one first. */
export const TASK_TOOLS: readonly TaskTool[] = [tasks, taskCreate, taskUpdate, taskGet, taskList];

/** The form of Claude Code, under one name. */
export const CLAUDE_TASKS: readonly TaskToolId[] = [
  "TaskCreate",
  "TaskUpdate",
  "TaskGet",
  "TaskList",
];

export function findTaskTool(id: string): TaskTool | undefined {
  return TASK_TOOLS.find((tool) => tool.id === id);
}
