import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { type Fields, type ItemShape, items } from "../common/values.ts";

const ITEM: ItemShape = { text: ["title", "description"], id: ["id"], blockedBy: ["blockers"] };

/** The list that the rows of both tables make. */
export function itemsOf(
  todos: readonly Fields[],
  deps: readonly Fields[],
  warn: Emit,
): StreamItem[] {
  const entries = todos.map((todo) => ({
    ...todo,
    blockers: deps.flatMap((dep) => (dep.todo_id === todo.id ? [dep.depends_on] : [])),
  }));
  return items(entries, ITEM, warn);
}
