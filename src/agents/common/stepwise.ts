import type { Emit } from "../agent.ts";

/** Marks every list that is said through it as put together from single steps. */
export function stepwise(emit: Emit): Emit {
  return (body, about) =>
    emit(body.type === "todo_list" ? { ...body, stepwise: true } : body, about);
}
