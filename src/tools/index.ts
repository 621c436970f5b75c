import { AGENT_LIST_TOOLS } from "../agents/tools.ts";
import { todos } from "./todos.ts";
import type { Tool } from "./tool.ts";

/** Every tool a model can be given; the native one first. */
export const TOOLS: readonly Tool[] = [todos, ...AGENT_LIST_TOOLS];

/** The tool of this name or id; where two share the name, the one that the input is shaped for. */
export function findTool(name: string, input: unknown): Tool | undefined {
  const named = TOOLS.filter((tool) => tool.id === name || tool.name === name);
  return named.find((tool) => tool.fits?.(input)) ?? named[0];
}
