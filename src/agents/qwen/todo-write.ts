import type { StreamItem } from "../../core/stream/events.ts";
import { valueEnd } from "../../core/text/json-scan.ts";
import type { About, Emit } from "../agent.ts";
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
  foldNative,
  isNativeTool,
  isPatch,
  MAX_NATIVE,
  refusalOf,
} from "../common/waymark-tool.ts";
import type { Answered } from "./calls.ts";
import type { QwenState } from "./state.ts";

const ITEM: ItemShape = {
  text: ["content"],
  id: ["id"],
  priority: ["priority"],
  blockedBy: ["blockedBy"],
};

export function isTodoTool(name: string): boolean {
  return name === "todo_write" || isNativeTool(name);
}

export function settleTodos(state: QwenState, call: Answered, who: About, emit: Emit): void {
  const output = text(call.display) ?? call.output ?? "";
  if (call.failed !== undefined) reject(call.failed, who, emit);
  else if (isNativeTool(call.name)) settleNative(state, call, who, emit);
  // A list that could not be saved is answered without the mark of an error.
  else if (/^(?:Failed to modify todos|Error writing todos)/.test(output))
    reject(output, who, emit);
  else {
    const display = fields(call.display);
    const todos =
      (display?.type === "todo_list" ? list(display.todos) : undefined) ??
      embedded(call.output ?? "") ??
      list(fields(call.args)?.todos);
    if (todos) emitEntries(state, todos, who, emit);
    else unknown("a list was written that the record does not show", who, emit);
  }
}

function settleNative(state: QwenState, call: Answered, who: About, emit: Emit): void {
  const agent = who.agentId ?? state.agent;
  const output = text(call.display) ?? call.output;
  const known = recall(state.native, agent) ?? [];
  const after = foldNative(known, call.args, output, (body) => emit(body, quiet(who)));
  if (after) {
    remember(state.native, agent, after.length > MAX_NATIVE ? [] : after);
    emitList(state, after, who, isPatch(call.args) ? stepwise(emit) : emit);
  } else unknown("the list was changed, but what it was before is not known", who, emit);
}

export function emitEntries(
  state: QwenState,
  todos: readonly unknown[],
  who: About,
  emit: Emit,
): void {
  const found = items(todos, ITEM, (body) => emit(body, quiet(who)));
  emitList(state, found, who, emit);
}

function emitList(state: QwenState, after: readonly StreamItem[], who: About, emit: Emit): void {
  const todoId = `${state.session || "unknown"}-${who.agentId ?? state.agent}`;
  emit({ type: "todo_list", todoId, items: after }, who);
}

/** Warnings of single entries must not share the key of the list. */
function quiet(who: About): About {
  return { ...who, key: undefined };
}

function unknown(message: string, who: About, emit: Emit): void {
  emit({ type: "warning", code: "list_unknown", message }, who);
}

export function reject(message: string, who: About, emit: Emit): void {
  const said = shorten(refusalOf(message), 200);
  emit({ type: "warning", code: "list_rejected", message: said }, who);
}

/**
 * The list that stands as JSON in the text for the model. It is what was saved, which a person may
 * have edited first and which has the blockers that the call left out.
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
