import type { StreamBody, StreamItem } from "../../core/stream/events.ts";
import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import type { PiLists, PiResult } from "../common/pi-entries.ts";
import { emitUnknown, type PiWaymarkState, readWaymarkCall } from "../common/pi-waymark.ts";
import { fields, type ItemShape, items, list, text } from "../common/values.ts";
import { isWaymarkTool } from "../common/waymark-tool.ts";

export function listsOf(state: PiWaymarkState): PiLists {
  return {
    tools: ["todo", "todo_write", "mcp__waymark_todos"],
    result(result, todoId, context, emit) {
      if (isWaymarkTool(result.name) && !result.failed)
        readWaymarkCall(state, result, todoId, context, emit);
      else readResult(result, todoId, context, emit);
    },
    custom(type, data, todoId, context, emit) {
      const phases = list(data.phases);
      if (type === "user_todo_edit" && phases) emitPhases(phases, todoId, context, emit);
    },
  };
}

/** The `todo` tool of the example extension of pi: a flat list with flags. */
const FLAT: ItemShape = {
  text: ["text", "subject", "content", "title"],
  status: ["status", "done"],
  id: ["id"],
};

function readResult(result: PiResult, todoId: string, context: EventContext, emit: Emit): void {
  const { name, failed, details } = result;
  const phases = list(details?.phases);
  const flat = list(details?.todos);
  // The old tool applies the valid part of a batch. Its result has the outcome.
  const applied = !failed || (name === "todo_write" && phases !== undefined);
  if (failed) {
    const message = shorten(result.output ?? "the write failed", 200);
    emit({ type: "warning", code: "list_rejected", message }, context);
  }
  if (!applied || isView(result)) return;
  if (phases) emitPhases(phases, todoId, context, emit);
  else if (flat)
    emit(
      { type: "todo_list", todoId, items: items(flat, FLAT, withoutKey(context, emit)) },
      context,
    );
  else emitUnknown(context, emit);
}

function isView({ details, input }: PiResult): boolean {
  const op = text(details?.op) ?? text(fields(input)?.op) ?? text(fields(input)?.action);
  return op === "view" || op === "list" || op === "get";
}

function emitPhases(
  phases: readonly unknown[],
  todoId: string,
  context: EventContext,
  emit: Emit,
): void {
  const found = phaseItems(phases, withoutKey(context, emit));
  emit({ type: "todo_list", todoId, items: found }, context);
}

/** The tasks of all phases. They have no ids; their content identifies them. */
export function phaseItems(
  phases: readonly unknown[],
  emit: (body: StreamBody) => void,
): readonly StreamItem[] {
  return phases.flatMap((phase) => {
    const given = fields(phase);
    const name = text(given?.name);
    const shape: ItemShape = { text: ["content"], ...(name !== undefined && { phase: name }) };
    return (list(given?.tasks) ?? []).flatMap((task) =>
      items([task], shape, emit).map((item) => withDetails(item, task)),
    );
  });
}

function withDetails(item: StreamItem, task: unknown): StreamItem {
  const given = fields(task);
  const blocker = text(given?.blocker);
  const notes = list(given?.notes)?.filter((note) => typeof note === "string");
  return {
    ...item,
    ...(blocker !== undefined && { blocker }),
    ...(notes && notes.length > 0 && { notes }),
  };
}

function withoutKey(context: EventContext, emit: Emit): Emit {
  return (body) => emit(body, { ...context, key: undefined });
}
