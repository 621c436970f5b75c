import type { Emit } from "../agent.ts";

/** Marks the lists emitted through it as assembled from single changes. */
export function stepwise(emit: Emit): Emit {
  return (body, context) =>
    emit(body.type === "todo_list" ? { ...body, stepwise: true } : body, context);
}
