import type { Emit } from "../agent.ts";
import { fields, type ItemShape, items, list, parsed } from "../common/values.ts";
import { emitList, emitUnknown } from "./lists.ts";
import { type Answer, aboutOf, type ClaudeState, type Line } from "./state.ts";

export const TODO: ItemShape = {
  text: ["content"],
  activeText: ["activeForm"],
  id: ["id"],
  priority: ["priority"],
};

/** The result carries the list; of subagents it may be missing, then the call says it. */
export function readTodoWrite(state: ClaudeState, line: Line, answer: Answer, emit: Emit): void {
  const { callId, call, data } = answer;
  const todos = list(data?.newTodos) ?? list(parsed(fields(call.input)?.todos));
  if (!todos) {
    emitUnknown(line, callId, emit);
    return;
  }
  const warn: Emit = (body) => emit(body, aboutOf(line, undefined));
  emitList(state, line, callId, items(todos, TODO, warn), emit);
}
