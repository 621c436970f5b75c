import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { stepwise } from "../common/stepwise.ts";
import { fields, type ItemShape, items, list, outputText, text } from "../common/values.ts";
import {
  foldWaymarkCall,
  isPatch,
  isWaymarkTool,
  MAX_WAYMARK_ITEMS,
  refusalOf,
} from "../common/waymark-tool.ts";
import { shellCodeOf } from "./exit-code.ts";
import { finishPlan, isPlanTool, notePlanFile } from "./plan.ts";
import { type GeminiState, todoIdOf } from "./state.ts";
import { applyCall, applyShown, listOf, trackerKind } from "./tracker.ts";

const ITEM: ItemShape = { text: ["description"] };

/** A call with its result, from a stream or a chat file. */
export interface CallWithResult {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
  /** The reason, if the call failed. */
  readonly failed: string | undefined;
  /** The result shown to the user: a text or an object. Streams have only texts. */
  readonly display: unknown;
  /** The result for the model. Only chat files have it. */
  readonly answer: string | undefined;
  readonly at: string | undefined;
}

/** Whether it is Waymark's list tool. Older versions omit the name of the MCP server. */
function isWaymarkList(name: string): boolean {
  return name === "todos" || isWaymarkTool(name);
}

/** Whether calls of a tool are reported as list or plan events instead of tool events. */
export function isListOrPlan(name: string): boolean {
  return (
    name === "write_todos" ||
    trackerKind(name) !== undefined ||
    isWaymarkList(name) ||
    isPlanTool(name)
  );
}

export function emitToolStarted(
  call: Pick<CallWithResult, "id" | "name" | "args" | "at">,
  emit: Emit,
): void {
  const { id, name, args } = call;
  emit(
    {
      type: "tool.started",
      ...(id !== undefined && { callId: id }),
      name,
      ...(args !== undefined && { input: args }),
    },
    { key: id, at: call.at },
  );
}

/** Emits the events of a finished call. */
export function finishCall(state: GeminiState, call: CallWithResult, emit: Emit): void {
  const context: EventContext = { key: call.id, at: call.at };
  if (isPlanTool(call.name)) finishPlan(call, emit);
  else if (!isListOrPlan(call.name)) {
    notePlanFile(state, call);
    emitToolEnded(call, context, emit);
  } else if (trackerKind(call.name) === "read") return;
  else if (call.failed !== undefined) reject(call.failed, context, emit);
  else if (call.name === "write_todos") {
    const todos = list(fields(call.display)?.todos) ?? list(fields(call.args)?.todos);
    if (todos) emitList(state, items(todos, ITEM, withoutKey(emit, context)), context, emit);
    else unknown("the list was written, but the record does not contain it", context, emit);
  } else if (isWaymarkList(call.name)) finishWaymarkCall(state, call, context, emit);
  else finishTrackerCall(state, call, context, emit);
}

/** Emits warnings without the key of the list, because keys must be unique. */
function withoutKey(emit: Emit, context: EventContext): Emit {
  return (body) => emit(body, { at: context.at });
}

function finishWaymarkCall(
  state: GeminiState,
  call: CallWithResult,
  context: EventContext,
  emit: Emit,
): void {
  const output = text(call.display) ?? call.answer;
  const after = foldWaymarkCall(state.waymarkList, call.args, output, withoutKey(emit, context));
  if (!after) {
    unknown("the list was changed, but the list before the change is unknown", context, emit);
    return;
  }
  state.waymarkList = after.length > MAX_WAYMARK_ITEMS ? [] : after;
  emitList(state, after, context, isPatch(call.args) ? stepwise(emit) : emit);
}

function finishTrackerCall(
  state: GeminiState,
  call: CallWithResult,
  context: EventContext,
  emit: Emit,
): void {
  // A link to a task that does not exist is reported as a success. Only a text in place of the list shows the failure.
  const refusal = text(call.display);
  if (refusal !== undefined) {
    reject(refusal, context, emit);
    return;
  }
  applyCall(state.tracker, call.name, fields(call.args) ?? {}, call.answer);
  const shown = list(fields(call.display)?.todos);
  if (shown) applyShown(state.tracker, shown);
  const after = listOf(state.tracker);
  if (after) emitList(state, after, context, stepwise(emit));
  else unknown("a task was changed, but the stream does not show which one", context, emit);
}

export function emitList(
  state: GeminiState,
  after: Parameters<typeof foldWaymarkCall>[0],
  context: EventContext,
  emit: Emit,
): void {
  state.listed = true;
  emit({ type: "todo_list", todoId: todoIdOf(state), items: after }, context);
}

export function unknown(message: string, context: EventContext, emit: Emit): void {
  emit({ type: "warning", code: "list_unknown", message }, context);
}

function reject(message: string, context: EventContext, emit: Emit): void {
  const reason = shorten(refusalOf(message), 200);
  emit({ type: "warning", code: "list_rejected", message: reason }, context);
}

function exitCodeOf(call: CallWithResult): number | undefined {
  if (call.name !== "run_shell_command" || call.failed !== undefined) return undefined;
  return shellCodeOf(call.answer ?? "");
}

function emitToolEnded(call: CallWithResult, context: EventContext, emit: Emit): void {
  const exitCode = exitCodeOf(call);
  const output = outputText(call.failed ?? text(call.display) ?? call.answer);
  emit(
    {
      type: call.failed !== undefined || (exitCode ?? 0) !== 0 ? "tool.failed" : "tool.completed",
      ...(call.id !== undefined && { callId: call.id }),
      name: call.name,
      ...(output !== undefined && { output }),
      ...(exitCode !== undefined && { exitCode }),
    },
    context,
  );
}
