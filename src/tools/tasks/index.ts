import { AGENT_TASK_TOOLS } from "../../agents/tools.ts";
import type { TaskTool } from "./task-tool.ts";
import { tasks } from "./tasks.ts";

export { CLAUDE_TASKS } from "../../agents/task-tool-ids.ts";

/** Every task tool, Waymark's own first. */
export const TASK_TOOLS: readonly TaskTool[] = [tasks, ...AGENT_TASK_TOOLS];

export function findTaskTool(id: string): TaskTool | undefined {
  return TASK_TOOLS.find((tool) => tool.id === id);
}
