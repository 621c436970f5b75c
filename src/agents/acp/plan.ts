import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit } from "../agent.ts";
import { todoIdOf } from "../common/family.ts";
import { forget, printOf, recall, remember } from "../common/memory.ts";
import { mergeItems } from "../common/merge.ts";
import { type Fields, fields, type ItemShape, items, list, text } from "../common/values.ts";
import { type AcpState, about } from "./state.ts";

const ENTRY: ItemShape = { text: ["content"], priority: ["priority"] };
const CURSOR_TODO: ItemShape = { text: ["content"], id: ["id"] };
const MAX_KEPT_ITEMS = 1_000;

/** What the protocol has no word for, an agent that keeps its list with Waymark says beside it. */
function inOwnWords(entry: unknown): unknown {
  const given = fields(entry);
  const status = text(fields(fields(given?._meta)?.waymark)?.status);
  return given && status !== undefined ? { ...given, status } : entry;
}

function planItems(entries: readonly unknown[], emit: Emit): readonly StreamItem[] {
  return items(entries.map(inOwnWords), ENTRY, emit);
}

/** v1: the whole list, without an id. */
export function readPlan(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const entries = list(update.entries);
  if (!entries) return;
  const who = about(state, session);
  forget(state.shown, session);
  remember(state.plans, session, true);
  emit({ type: "todo_list", todoId: todoIdOf(who), items: planItems(entries, emit) }, who);
}

/** v1 unstable and v2: plans with ids, as items, as text or as a file. */
export function readPlanUpdate(state: AcpState, session: string, update: Fields, emit: Emit): void {
  const plan = fields(update.plan);
  const planId = text(plan?.planId);
  if (!plan || planId === undefined) return;
  const who = about(state, session);
  const entries = list(plan.entries);
  if (plan.type === "items" && entries) {
    remember(state.shown, session, planId);
    remember(state.plans, session, true);
    emit({ type: "todo_list", todoId: planId, items: planItems(entries, emit) }, who);
  } else if (plan.type === "markdown")
    emit({ type: "plan.proposed", planId, text: text(plan.content) ?? "" }, who);
  else if (plan.type === "file") {
    const path = text(plan.uri)?.replace(/^file:\/\//, "");
    if (path !== undefined) emit({ type: "plan.proposed", planId, text: "", path }, who);
  }
}

export function readPlanRemoved(
  state: AcpState,
  session: string,
  update: Fields,
  emit: Emit,
): void {
  const planId = text(update.planId);
  // Another plan may have taken its place: that one stays.
  if (planId === undefined || recall(state.shown, session) !== planId) return;
  forget(state.shown, session);
  emit({ type: "todo_list", todoId: planId, items: [] }, about(state, session));
}

/** Cursor's own method; a merge may name an item by its id alone. */
export function readCursorTodos(state: AcpState, params: Fields, emit: Emit): void {
  const session = text(params.sessionId) ?? state.session;
  const todos = list(params.todos);
  if (!todos) return;
  const merge = params.merge === true;
  const after = afterWrite(state, session, todos, merge, CURSOR_TODO, emit);
  const who = about(state, session);
  const call = text(params.toolCallId);
  const key = call === undefined ? undefined : `${call}-${printOf(after)}`;
  emit(
    {
      type: "todo_list",
      todoId: todoIdOf(who),
      items: after,
      ...(merge && { stepwise: true }),
    },
    { ...who, key },
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
  const said: Emit = (body) => emit(body, about(state, session));
  const known = merge ? (recall(state.lists, session) ?? []) : [];
  const after = mergeItems(known, todos, shape, said);
  remember(state.lists, session, after.slice(0, MAX_KEPT_ITEMS));
  return after;
}

/** The entries of whatever list tool the agent behind the protocol has. */
const ANY_TODO: ItemShape = {
  text: ["content", "step", "title", "description", "text"],
  status: ["status", "completed"],
  activeText: ["activeForm", "active_form"],
  id: ["id"],
  priority: ["priority"],
};

/** Some agents send no plan: then the call of their list tool is all there is of the list. */
export function readListCall(
  state: AcpState,
  session: string,
  callId: string,
  input: unknown,
  output: unknown,
  emit: Emit,
): void {
  if (recall(state.plans, session)) return;
  const told = fields(output);
  const asked = fields(input);
  const whole = list(fields(told?.metadata)?.todos) ?? list(told?.todos) ?? list(told?.newTodos);
  const todos = whole ?? list(asked?.todos) ?? list(asked?.plan) ?? list(asked?.steps);
  if (!todos) return;
  const merge = whole === undefined && asked?.merge === true;
  const who = about(state, session);
  emit(
    {
      type: "todo_list",
      todoId: todoIdOf(who),
      items: afterWrite(state, session, todos, merge, ANY_TODO, emit),
      ...(merge && { stepwise: true }),
    },
    { ...who, key: callId },
  );
}

/** Cursor asks a person to accept a plan; the answer comes as the result of the request. */
export function readCursorPlan(
  state: AcpState,
  request: string | undefined,
  params: Fields,
  emit: Emit,
): void {
  const session = text(params.sessionId) ?? state.session;
  const planId = text(params.toolCallId) ?? request ?? printOf(params.plan);
  const said = [text(params.overview), text(params.plan)].filter((part) => part !== undefined);
  if (request !== undefined) remember(state.asked, `plan ${request}`, { session, planId });
  emit(
    { type: "plan.proposed", planId, text: said.join("\n\n") },
    { ...about(state, session), key: planId },
  );
}
