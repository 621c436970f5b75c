import { TOOLS } from "./index.ts";
import { TASK_TOOLS } from "./tasks/index.ts";

/** By what the tools can be called on the command line; some have a name and an id. */
export function toolNames(): readonly string[] {
  return [
    ...new Set([...TOOLS.flatMap(({ name, id }) => [name, id]), ...TASK_TOOLS.map(({ id }) => id)]),
  ];
}
