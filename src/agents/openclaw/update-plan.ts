import type { About, Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import type { PiLists, PiResult } from "../common/pi-entries.ts";
import { fields, type ItemShape, items, list, text } from "../common/values.ts";

const STEP: ItemShape = { text: ["step"] };

export const lists: PiLists = { tools: ["update_plan"], result: readResult };

function readResult(result: PiResult, todoId: string, who: About, emit: Emit): void {
  const input = fields(result.input);
  // Some hosts turn a refusal into an ordinary result that says so in its details.
  if (result.failed || result.details?.status === "error") {
    const message = shorten(
      text(result.details?.error) ?? result.output ?? "the write failed",
      200,
    );
    emit({ type: "warning", code: "list_rejected", message }, who);
    return;
  }
  const plan = list(result.details?.plan) ?? list(input?.plan);
  if (!plan) {
    emit(
      { type: "warning", code: "list_unknown", message: "a plan was written that is not shown" },
      who,
    );
    return;
  }
  const explanation = text(result.details?.explanation) ?? text(input?.explanation);
  emit(
    {
      type: "todo_list",
      todoId,
      items: items(plan, STEP, (body) => emit(body, { ...who, key: undefined })),
      ...(explanation !== undefined && { explanation }),
    },
    who,
  );
}
