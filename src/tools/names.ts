import { TOOLS } from "./index.ts";
import { TASK_TOOLS } from "./tasks/index.ts";

/** The names and ids of all tools, as the command line accepts them. */
export function toolNames(): readonly string[] {
  return [
    ...new Set([...TOOLS.flatMap(({ name, id }) => [name, id]), ...TASK_TOOLS.map(({ id }) => id)]),
  ];
}
