import type { StreamItem } from "../../core/stream/events.ts";
import { valueEnd } from "../../core/text/json-scan.ts";
import type { Emit, EventContext } from "../agent.ts";
import { recall, remember, shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import {
  type Fields,
  fields,
  type ItemShape,
  items,
  list,
  parsed,
  text,
} from "../common/values.ts";
import {
  foldWaymarkCall,
  isPatch,
  isWaymarkTool,
  MAX_WAYMARK_ITEMS,
  refusalOf,
} from "../common/waymark-tool.ts";
import type { CallWithResult } from "./calls.ts";
import type { QwenState } from "./state.ts";

const ITEM: ItemShape = {
  text: ["content"],
  id: ["id"],
  priority: ["priority"],
  blockedBy: ["blockedBy"],
};

export function isTodoTool(name: string): boolean {
  return name === "todo_write" || isWaymarkTool(name);
}

export function finishTodos(
  state: QwenState,
  call: CallWithResult,
  context: EventContext,
  emit: Emit,
): void {
  const output = text(call.display) ?? call.output ?? "";
  if (call.failed !== undefined) reject(call.failed, context, emit);
  else if (isWaymarkTool(call.name)) finishWaymarkCall(state, call, context, emit);
  // A failed save is not marked as an error.
  else if (/^(?:Failed to modify todos|Error writing todos)/.test(output))
    reject(output, context, emit);
  else {
    const display = fields(call.display);
    const todos =
      (display?.type === "todo_list" ? list(display.todos) : undefined) ??
      embedded(call.output ?? "") ??
      list(fields(call.args)?.todos);
    if (todos) emitEntries(state, todos, context, emit);
    else unknown("the list was written, but the record does not contain it", context, emit);
  }
}

function finishWaymarkCall(
  state: QwenState,
  call: CallWithResult,
  context: EventContext,
  emit: Emit,
): void {
  const agent = context.agentId ?? state.agent;
  const output = text(call.display) ?? call.output;
  const known = recall(state.waymarkLists, agent) ?? [];
  const after = foldWaymarkCall(known, call.args, output, (body) =>
    emit(body, withoutKey(context)),
  );
  if (after) {
    remember(state.waymarkLists, agent, after.length > MAX_WAYMARK_ITEMS ? [] : after);
    emitList(state, after, context, isPatch(call.args) ? stepwise(emit) : emit);
  } else unknown("the list was changed, but the list before the change is unknown", context, emit);
}

export function emitEntries(
  state: QwenState,
  todos: readonly unknown[],
  context: EventContext,
  emit: Emit,
): void {
  const found = items(todos, ITEM, (body) => emit(body, withoutKey(context)));
  emitList(state, found, context, emit);
}

function emitList(
  state: QwenState,
  after: readonly StreamItem[],
  context: EventContext,
  emit: Emit,
): void {
  const todoId = `${state.session || "unknown"}-${context.agentId ?? state.agent}`;
  emit({ type: "todo_list", todoId, items: after }, context);
}

/** Removes the key for warnings, because keys must be unique. */
function withoutKey(context: EventContext): EventContext {
  return { ...context, key: undefined };
}

function unknown(message: string, context: EventContext, emit: Emit): void {
  emit({ type: "warning", code: "list_unknown", message }, context);
}

export function reject(message: string, context: EventContext, emit: Emit): void {
  const reason = shorten(refusalOf(message), 200);
  emit({ type: "warning", code: "list_rejected", message: reason }, context);
}

/**
 * The list in the text for the model, as JSON. It is the saved list: the user may have edited it first, and it has the
 * blockers that the call omits.
 */
function embedded(output: string): readonly unknown[] | undefined {
  const start = output.search(/\[\s*\{\s*"/);
  if (start === -1) return undefined;
  const end = valueEnd(output, start);
  const found = end === -1 ? undefined : list(parsed(output.slice(start, end)));
  return found?.every(isEntry) ? found : undefined;
}

function isEntry(value: unknown): boolean {
  const entry: Fields | undefined = fields(value);
  return text(entry?.content) !== undefined && text(entry?.status) !== undefined;
}
