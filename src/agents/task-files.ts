import type { TaskFiles } from "../tasks/formats/format.ts";
import { TASK_FILES as FOUND } from "./generated/task-files.ts";
import { shortNameOf } from "./identity.ts";

/** The agents that keep tasks in files, for `waymark task import`. */
export const TASK_FILES: readonly TaskFiles[] = FOUND.map(({ identity, taskFiles }) => {
  const { id, name } = identity;
  return { ...taskFiles, id, name, kind: shortNameOf(identity) };
});
