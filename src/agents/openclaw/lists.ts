import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import type { PiLists, PiResult } from "../common/pi-entries.ts";
import { emitUnknown, readWaymarkCall } from "../common/pi-waymark.ts";
import { fields, type ItemShape, items, list, number, text } from "../common/values.ts";
import { isWaymarkTool } from "../common/waymark-tool.ts";
import type { SessionState } from "./state.ts";

export const STEP: ItemShape = { text: ["step"] };

/** Up to the middle of 2026 the tool was `update_plan`. MCP tools have the name of their server as prefix. */
export const LIST_TOOLS = ["progress_card", "update_plan", "waymark__todos"] as const;

export function listsOf(state: SessionState): PiLists {
  return {
    tools: LIST_TOOLS,
    result(result, todoId, context, emit) {
      // Some hosts report a refusal as a normal result with an error in its details.
      if (result.failed || result.details?.status === "error") emitRejected(result, context, emit);
      else if (isWaymarkTool(result.name)) readWaymarkCall(state, result, todoId, context, emit);
      else if (result.name === "update_plan") readPlan(result, todoId, context, emit);
      else readCard(result, todoId, context, emit);
    },
  };
}

/** The result has the number of steps only; the call has the whole list. */
function readCard(result: PiResult, todoId: string, context: EventContext, emit: Emit): void {
  const input = fields(result.input);
  const steps = result.details?.steps;
  // The card was cleared, or has only a text.
  const plan = steps === null ? [] : list(input?.plan);
  const total = steps === null ? 0 : number(fields(steps)?.total);
  if (!plan || plan.length !== total) emitUnknown(context, emit);
  else emitSteps(plan, text(input?.markdown), todoId, context, emit);
}

function readPlan(result: PiResult, todoId: string, context: EventContext, emit: Emit): void {
  const input = fields(result.input);
  const plan = list(result.details?.plan) ?? list(input?.plan);
  if (!plan) emitUnknown(context, emit);
  else
    emitSteps(
      plan,
      text(result.details?.explanation) ?? text(input?.explanation),
      todoId,
      context,
      emit,
    );
}

/** Emits a list of steps, with the text that belongs to it. */
export function emitSteps(
  steps: readonly unknown[],
  explanation: string | undefined,
  todoId: string,
  context: EventContext,
  emit: Emit,
): void {
  emit(
    {
      type: "todo_list",
      todoId,
      items: items(steps, STEP, (body) => emit(body, { ...context, key: undefined })),
      ...(explanation !== undefined && { explanation }),
    },
    context,
  );
}

function emitRejected(result: PiResult, context: EventContext, emit: Emit): void {
  const why = text(result.details?.error) ?? result.output ?? "the write failed";
  emit({ type: "warning", code: "list_rejected", message: shorten(why, 200) }, context);
}
