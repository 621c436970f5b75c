import type { Emit } from "../agent.ts";
import { fields, type ItemShape, items, list, parsed } from "../common/values.ts";
import { emitList, emitUnknown } from "./lists.ts";
import { type CallWithResult, type ClaudeState, contextOf, type Line } from "./state.ts";

export const TODO: ItemShape = {
  text: ["content"],
  activeText: ["activeForm"],
  id: ["id"],
  priority: ["priority"],
};

/** The result has the list. For subagents it may be missing; then the input of the call has it. */
export function readTodoWrite(
  state: ClaudeState,
  line: Line,
  answer: CallWithResult,
  emit: Emit,
): void {
  const { callId, call, data } = answer;
  const todos = list(data?.newTodos) ?? list(parsed(fields(call.input)?.todos));
  if (!todos) {
    emitUnknown(line, callId, emit);
    return;
  }
  const warn: Emit = (body) => emit(body, contextOf(line, undefined));
  emitList(state, line, callId, items(todos, TODO, warn), emit);
}
