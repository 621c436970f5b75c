import { todoHermes } from "./todo-hermes.ts";
import { todoOps } from "./todo-ops.ts";
import { todoWrite } from "./todo-write.ts";
import { todoWriteQwen } from "./todo-write-qwen.ts";
import { todos } from "./todos.ts";
import { todowrite } from "./todowrite-opencode.ts";
import type { Tool } from "./tool.ts";
import { updatePlan } from "./update-plan.ts";
import { writeTodos } from "./write-todos.ts";

/** Every tool a model can be given; the native one first. */
export const TOOLS: readonly Tool[] = [
  todos,
  todoWrite,
  todoOps,
  updatePlan,
  writeTodos,
  todoHermes,
  todowrite,
  todoWriteQwen,
];

/** The tool of this name or id; where two share the name, the one that the input is shaped for. */
export function findTool(name: string, input: unknown): Tool | undefined {
  const named = TOOLS.filter((tool) => tool.id === name || tool.name === name);
  return named.find((tool) => tool.fits?.(input)) ?? named[0];
}
