import { type Policy, PRESETS } from "../../core/list/policy.ts";
import { findTool } from "../../tools/index.ts";
import type { List } from "../../tracker.ts";

/** Id of the tool that takes ops. */
const OPS = "todo_write.ops";

/**
 * The rules for a checklist that replaces this list. A list that its agent keeps with the op tool is
 * normalized as that tool would: without a todo in progress, the first pending one is started.
 */
export async function checklistPolicy(list: List): Promise<Partial<Policy>> {
  const last = (await list.history()).findLast(({ by }) => by === "agent");
  if (last?.via === undefined || last.via !== findTool(OPS, undefined)?.name) return {};
  // Another tool has the same name; its todos have refs.
  const { todos } = await list.read();
  return todos.some(({ ref }) => ref !== undefined) ? {} : { promote: PRESETS.ops.promote };
}
