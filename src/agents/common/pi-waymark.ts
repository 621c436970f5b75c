import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit, EventContext } from "../agent.ts";
import type { PiResult, PiState } from "./pi-entries.ts";
import { stepwise } from "./stepwise.ts";
import { foldWaymarkCall, isPatch, MAX_WAYMARK_ITEMS } from "./waymark-tool.ts";

/** The state of an agent built on pi that may use Waymark's tool. */
export interface PiWaymarkState extends PiState {
  /** The list of Waymark's tool. */
  waymarkList: readonly StreamItem[];
}

/** Reads an accepted call of Waymark's tool. */
export function readWaymarkCall(
  state: PiWaymarkState,
  { input, output }: PiResult,
  todoId: string,
  context: EventContext,
  emit: Emit,
): void {
  const after = foldWaymarkCall(state.waymarkList, input, output, (body) =>
    emit(body, { ...context, key: undefined }),
  );
  if (!after) {
    emitUnknown(context, emit);
    return;
  }
  state.waymarkList = after.slice(0, MAX_WAYMARK_ITEMS);
  const emitAfter = isPatch(input) ? stepwise(emit) : emit;
  emitAfter({ type: "todo_list", todoId, items: after }, context);
}

export function emitUnknown(context: EventContext, emit: Emit): void {
  const message = "the list was written, but the record does not contain it";
  emit({ type: "warning", code: "list_unknown", message }, context);
}
