import type { Task } from "../../../tasks/model.ts";
import type { TaskCard, TaskColumn } from "../../../tasks/rules/board.ts";
import { isClosed } from "../../../tasks/rules/task-at.ts";
import { joinIds } from "./labels.ts";

/** The effect of dropping a card, in words that are shown before; or why it cannot be dropped there. */
export type Drop =
  | { readonly act: DropAct; readonly label: string; readonly priority?: Task["priority"] }
  | { readonly refused: string };

export type DropAct = "assign" | "evidence" | "blocker" | "release" | "reopen" | "priority";

/**
 * The effect of dropping a card on a column.
 *
 * @param over the card under the pointer, which gives its priority within a column
 * @returns undefined if nothing would change
 */
export function dropOf(card: TaskCard, to: TaskColumn, over?: Task): Drop | undefined {
  const { task, column } = card;
  if (to === column) return orderOf(card, over);
  if (to === "failed") return { refused: "Tasks fail by themselves" };
  if (isClosed(task))
    return to === "ready"
      ? { act: "reopen", label: "reopen it" }
      : { refused: `${task.id} is closed, reopen it first` };
  switch (to) {
    case "claimed":
      return { act: "assign", label: "assign to an agent" };
    case "done":
      return { act: "evidence", label: "asks you for evidence" };
    case "waiting":
      return { act: "blocker", label: "choose what blocks it" };
    case "ready":
      return column === "waiting"
        ? { refused: `${task.id} is blocked by ${joinIds(card.waitsFor)}` }
        : { act: "release", label: "put it back in the queue" };
  }
}

/** Within a column, tasks are ordered by priority. */
function orderOf({ task, column }: TaskCard, over: Task | undefined): Drop | undefined {
  const isOrdered = column === "ready" || column === "waiting";
  if (!isOrdered || !over || over.priority === task.priority) return undefined;
  return { act: "priority", label: `priority ${over.priority}`, priority: over.priority };
}
