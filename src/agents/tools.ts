import type { TaskTool } from "../tools/tasks/task-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { taskCreate, taskGet, taskList, taskUpdate } from "./claude-code/tools/tasks.ts";
import { todoWrite } from "./claude-code/tools/todo-write.ts";
import { updatePlan } from "./codex/tool.ts";
import { writeTodos } from "./gemini/tool.ts";
import { todoHermes } from "./hermes/tool.ts";
import { todoOps } from "./oh-my-pi/tool.ts";
import { todowrite } from "./opencode/tool.ts";
import { todoWriteQwen } from "./qwen/tool.ts";

/**
 * List tools in the formats of agents. They are not in the registry, so that only programs that offer tools load their schemas.
 */
export const AGENT_LIST_TOOLS: readonly Tool[] = [
  todoWrite,
  todoOps,
  updatePlan,
  writeTodos,
  todoHermes,
  todowrite,
  todoWriteQwen,
];

/** Task tools in the formats of agents. */
export const AGENT_TASK_TOOLS: readonly TaskTool[] = [taskCreate, taskUpdate, taskGet, taskList];
