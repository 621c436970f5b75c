import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { todoIdOf } from "../common/subagents.ts";
import {
  type Fields,
  fields,
  type ItemShape,
  items,
  list,
  parsed,
  text,
} from "../common/values.ts";

/** Status and priority are free strings. Ids exist until 1.1 only. */
const ITEM: ItemShape = { text: ["content"], priority: ["priority"], id: ["id"] };

export const WRITE_TOOL = "todowrite";
const READ_TOOL = "todoread";

export function isTodoTool(name: string): boolean {
  return name === WRITE_TOOL || name === READ_TOOL;
}

/** Emits the list after a finished call of a list tool. */
export function emitWrite(name: string, call: Fields, context: EventContext, emit: Emit): void {
  if (name !== WRITE_TOOL) return;
  if (call.status === "error") {
    emitRejected(text(call.error) ?? "the write failed", context, emit);
    return;
  }
  const todos =
    list(fields(call.metadata)?.todos) ??
    list(parsed(call.output)) ??
    list(fields(call.input)?.todos);
  if (todos) emitList(todos, context, emit);
  else
    emit(
      {
        type: "warning",
        code: "list_unknown",
        message: "the list was written, but the record does not contain it",
      },
      context,
    );
}

export function emitList(todos: readonly unknown[], context: EventContext, emit: Emit): void {
  const warn: Emit = (body) => emit(body, { ...context, key: undefined });
  emit({ type: "todo_list", todoId: todoIdOf(context), items: items(todos, ITEM, warn) }, context);
}

export function emitRejected(message: string, context: EventContext, emit: Emit): void {
  emit({ type: "warning", code: "list_rejected", message: shorten(message, 200) }, context);
}
