import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import type { PiLists, PiResult } from "../common/pi-entries.ts";
import { fields, type ItemShape, items, list, text } from "../common/values.ts";

const STEP: ItemShape = { text: ["step"] };

export const lists: PiLists = { tools: ["update_plan"], result: readResult };

function readResult(result: PiResult, todoId: string, context: EventContext, emit: Emit): void {
  const input = fields(result.input);
  // Some hosts report a refusal as a normal result with an error in its details.
  if (result.failed || result.details?.status === "error") {
    const message = shorten(
      text(result.details?.error) ?? result.output ?? "the write failed",
      200,
    );
    emit({ type: "warning", code: "list_rejected", message }, context);
    return;
  }
  const plan = list(result.details?.plan) ?? list(input?.plan);
  if (!plan) {
    emit(
      {
        type: "warning",
        code: "list_unknown",
        message: "the plan was written, but the record does not contain it",
      },
      context,
    );
    return;
  }
  const explanation = text(result.details?.explanation) ?? text(input?.explanation);
  emit(
    {
      type: "todo_list",
      todoId,
      items: items(plan, STEP, (body) => emit(body, { ...context, key: undefined })),
      ...(explanation !== undefined && { explanation }),
    },
    context,
  );
}
