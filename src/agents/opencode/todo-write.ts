import type { About, Emit } from "../agent.ts";
import { todoIdOf } from "../common/family.ts";
import { shorten } from "../common/memory.ts";
import {
  type Fields,
  fields,
  type ItemShape,
  items,
  list,
  parsed,
  text,
} from "../common/values.ts";

/** Status and priority are free strings; ids were only in use until 1.1. */
const ITEM: ItemShape = { text: ["content"], priority: ["priority"], id: ["id"] };

export const WRITE_TOOL = "todowrite";
const READ_TOOL = "todoread";

export function isTodoTool(name: string): boolean {
  return name === WRITE_TOOL || name === READ_TOOL;
}

/** What the finished call of a list tool means. */
export function emitWrite(name: string, call: Fields, who: About, emit: Emit): void {
  if (name !== WRITE_TOOL) return;
  if (call.status === "error") {
    emitRejected(text(call.error) ?? "the write failed", who, emit);
    return;
  }
  const todos =
    list(fields(call.metadata)?.todos) ??
    list(parsed(call.output)) ??
    list(fields(call.input)?.todos);
  if (todos) emitList(todos, who, emit);
  else
    emit(
      { type: "warning", code: "list_unknown", message: "a list was written that is not shown" },
      who,
    );
}

export function emitList(todos: readonly unknown[], who: About, emit: Emit): void {
  const said: Emit = (body) => emit(body, { ...who, key: undefined });
  emit({ type: "todo_list", todoId: todoIdOf(who), items: items(todos, ITEM, said) }, who);
}

export function emitRejected(message: string, who: About, emit: Emit): void {
  emit({ type: "warning", code: "list_rejected", message: shorten(message, 200) }, who);
}
