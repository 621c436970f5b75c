import { type AddedTodo, type Change, STATUSES, type Todo, type Track } from "../model.ts";
import type { StreamItem } from "../stream/events.ts";
import { oneLine } from "../text/escape.ts";
import { same } from "../values.ts";
import { isFinished } from "../views/view.ts";
import type { Writable } from "../writable.ts";

interface Limits {
  readonly maxTodos: number;
  readonly maxText: number;
}

/**
 * The changes of a list write that only changes statuses, appends todos or starts a list, as most
 * writes do. Equal to what `decide` finds, without matching.
 *
 * @returns the changes, or undefined if the write needs `decide`
 */
export function fastPathChanges(
  track: Track,
  items: readonly StreamItem[],
  { maxTodos, maxText }: Limits,
): readonly Change[] | undefined {
  if (track.unseen.length > 0 || track.unseenOrder || items.length > maxTodos) return undefined;
  const changes: Change[] = [];
  if (track.version === 0) changes.push({ type: "track.opened" });
  let known = track.todos;
  if (isFinished(known)) {
    // Whether the write continues the finished list is for `decide` to find out.
    if (items.some(({ status }) => status === "completed")) return undefined;
    known = [];
    changes.push({ type: "list.started", list: track.list + 1 });
  }
  if (items.length === 0 || items.length < known.length) return undefined;
  let { nextId } = track;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const todo = known[index];
    if (!item || !STATUSES.includes(item.status)) return undefined;
    if (todo) {
      if (!isRestated(todo, item) || item.text.length > maxText) return undefined;
      if (item.status !== todo.status)
        changes.push({ type: "todo.moved", id: todo.id, from: todo.status, to: item.status });
    } else {
      if (!isPlain(item, maxText)) return undefined;
      changes.push({ type: "todo.added", todo: added(String(nextId++), item) });
    }
  }
  return changes;
}

function added(id: string, { text, status, activeText, id: ref }: StreamItem): AddedTodo {
  const todo: Writable<AddedTodo> = { id, text, status };
  if (activeText !== undefined) todo.activeText = activeText;
  if (ref !== undefined) todo.ref = ref;
  return todo;
}

function isRestated(todo: Todo, item: StreamItem): boolean {
  return (
    item.text === todo.text &&
    item.activeText === todo.activeText &&
    item.id === todo.ref &&
    item.phase === todo.phase &&
    item.priority === todo.priority &&
    item.owner === todo.owner &&
    same(item.notes, todo.notes) &&
    !isLinked(item, item.raw) &&
    !isLinked(todo, todo.rawStatus)
  );
}

/** Whether the todo has fields that change with the status, links, or a raw status. */
function isLinked(
  { blocker, parent, blockedBy }: Pick<StreamItem, "blocker" | "parent" | "blockedBy">,
  raw: string | undefined,
): boolean {
  return (blocker ?? parent ?? blockedBy ?? raw) !== undefined;
}

/** Whether the item has only texts that need no normalization. */
function isPlain(item: StreamItem, maxText: number): boolean {
  const { phase, priority, owner, notes, raw } = item;
  if ((phase ?? priority ?? owner ?? notes) !== undefined || isLinked(item, raw)) return false;
  return [item.text, item.activeText, item.id].every(
    (text) =>
      text === undefined || (text !== "" && text.length <= maxText && oneLine(text) === text),
  );
}
