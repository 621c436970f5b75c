import { AGENT_LIST_TOOLS } from "../agents/tools.ts";
import { todos } from "./todos.ts";
import type { Tool } from "./tool.ts";

/** Every list tool, Waymark's own first. */
export const TOOLS: readonly Tool[] = [todos, ...AGENT_LIST_TOOLS];

/** The tool with this name or id. If two share the name, the shape of the input decides. */
export function findTool(name: string, input: unknown): Tool | undefined {
  const named = TOOLS.filter((tool) => tool.id === name || tool.name === name);
  return named.find((tool) => tool.fits?.(input)) ?? named[0];
}
