import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { forget, hashOf, recall, remember } from "../common/memory.ts";
import { mergeItems } from "../common/merge.ts";
import { todoIdOf } from "../common/subagents.ts";
import { type Fields, fields, type ItemShape, items, list, text } from "../common/values.ts";
import { type AcpState, contextOf } from "./state.ts";

const ENTRY: ItemShape = { text: ["content"], priority: ["priority"] };
const CURSOR_TODO: ItemShape = { text: ["content"], id: ["id"] };
const MAX_KEPT_ITEMS = 1_000;

/** Restores a status that the protocol lacks. Agents with a Waymark list send it in `_meta`. */
function withWaymarkStatus(entry: unknown): unknown {
  const given = fields(entry);
  const status = text(fields(fields(given?._meta)?.waymark)?.status);
  return given && status !== undefined ? { ...given, status } : entry;
}

function planItems(entries: readonly unknown[], emit: Emit): readonly StreamItem[] {
  return items(entries.map(withWaymarkStatus), ENTRY, emit);
}

/** Reads a plan of v1: the whole list, without an id. */
export function readPlan(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const entries = list(update.entries);
  if (!entries) return;
  const context = contextOf(state, session);
  forget(state.shown, session);
  remember(state.plans, session, true);
  emit({ type: "todo_list", todoId: todoIdOf(context), items: planItems(entries, emit) }, context);
}

/** Reads a plan of v1 unstable or v2: it has an id, and items, a text or a file. */
export function readPlanUpdate(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const plan = fields(update.plan);
  const planId = text(plan?.planId);
  if (!plan || planId === undefined) return;
  const context = contextOf(state, session);
  const entries = list(plan.entries);
  if (plan.type === "items" && entries) {
    remember(state.shown, session, planId);
    remember(state.plans, session, true);
    emit({ type: "todo_list", todoId: planId, items: planItems(entries, emit) }, context);
  } else if (plan.type === "markdown")
    emit({ type: "plan.proposed", planId, text: text(plan.content) ?? "" }, context);
  else if (plan.type === "file") {
    const path = text(plan.uri)?.replace(/^file:\/\//, "");
    if (path !== undefined) emit({ type: "plan.proposed", planId, text: "", path }, context);
  }
}

export function readPlanRemoved(
  state: AcpState,
  session: string,
  update: Fields,
  emit: Emit,
): void {
  const planId = text(update.planId);
  // A plan that replaced it stays.
  if (planId === undefined || recall(state.shown, session) !== planId) return;
  forget(state.shown, session);
  emit({ type: "todo_list", todoId: planId, items: [] }, contextOf(state, session));
}

/** Reads Cursor's own method. A merge may refer to an item by its id alone. */
export function readCursorTodos(state: AcpState, params: Fields, emit: Emit): void {
  const session = text(params.sessionId) ?? state.session;
  const todos = list(params.todos);
  if (!todos) return;
  const merge = params.merge === true;
  const after = afterWrite(state, session, todos, merge, CURSOR_TODO, emit);
  const context = contextOf(state, session);
  const call = text(params.toolCallId);
  const key = call === undefined ? undefined : `${call}-${hashOf(after)}`;
  emit(
    {
      type: "todo_list",
      todoId: todoIdOf(context),
      items: after,
      ...(merge && { stepwise: true }),
    },
    { ...context, key },
  );
}

function afterWrite(
  state: AcpState,
  session: string,
  todos: readonly unknown[],
  merge: boolean,
  shape: ItemShape,
  emit: Emit,
): readonly StreamItem[] {
  const warn: Emit = (body) => emit(body, contextOf(state, session));
  const known = merge ? (recall(state.lists, session) ?? []) : [];
  const after = mergeItems(known, todos, shape, warn);
  remember(state.lists, session, after.slice(0, MAX_KEPT_ITEMS));
  return after;
}

/** Entries of the list tool of any agent behind the protocol. */
const ANY_TODO: ItemShape = {
  text: ["content", "step", "title", "description", "text"],
  status: ["status", "completed"],
  activeText: ["activeForm", "active_form"],
  id: ["id"],
  priority: ["priority"],
};

/** Reads the call of a list tool, for agents that send no plan. */
export function readListCall(
  state: AcpState,
  session: string,
  callId: string,
  input: unknown,
  output: unknown,
  emit: Emit,
): void {
  if (recall(state.plans, session)) return;
  const result = fields(output);
  const args = fields(input);
  const whole =
    list(fields(result?.metadata)?.todos) ?? list(result?.todos) ?? list(result?.newTodos);
  const todos = whole ?? list(args?.todos) ?? list(args?.plan) ?? list(args?.steps);
  if (!todos) return;
  const merge = whole === undefined && args?.merge === true;
  const context = contextOf(state, session);
  emit(
    {
      type: "todo_list",
      todoId: todoIdOf(context),
      items: afterWrite(state, session, todos, merge, ANY_TODO, emit),
      ...(merge && { stepwise: true }),
    },
    { ...context, key: callId },
  );
}

/** Reads a plan that Cursor asks the user to accept. The decision is the result of the request. */
export function readCursorPlan(
  state: AcpState,
  request: string | undefined,
  params: Fields,
  emit: Emit,
): void {
  const session = text(params.sessionId) ?? state.session;
  const planId = text(params.toolCallId) ?? request ?? hashOf(params.plan);
  const parts = [text(params.overview), text(params.plan)].filter((part) => part !== undefined);
  if (request !== undefined) remember(state.requests, `plan ${request}`, { session, planId });
  emit(
    { type: "plan.proposed", planId, text: parts.join("\n\n") },
    { ...contextOf(state, session), key: planId },
  );
}
