import type { Todo } from "../../core/model.ts";
import type { ListReading } from "../common/hooks/lists.ts";
import { shorten } from "../common/memory.ts";
import { itemsOf } from "./items.ts";
import { outcomeOf, type Rows, rowsAfter } from "./rows.ts";
import { concernsList } from "./statements.ts";

/** The result of a call. */
export interface Result {
  readonly failed: boolean;
  readonly output: string;
}

/**
 * The list after a query that a hook reports, from the list before it. Todos without an id were not written with SQL: then
 * the rows before it are unknown.
 */
export function listAfterQuery(
  before: readonly Todo[],
  query: string,
  { failed, output }: Result,
): ListReading {
  if (!concernsList(query)) return undefined;
  const refs = new Map(before.map(({ id, ref = id }) => [id, ref]));
  const known: Rows = {
    todos: before.map(({ ref = "", text: title, status, rawStatus }) => ({
      id: ref,
      title,
      status: rawStatus ?? status,
    })),
    deps: before.flatMap(({ ref = "", blockedBy = [] }) =>
      blockedBy.map((id) => ({ todo_id: ref, depends_on: refs.get(id) ?? id })),
    ),
  };
  const isKnown = before.length > 0 && before.every(({ ref }) => ref !== undefined);
  const rows = isKnown ? known : undefined;
  const after = rowsAfter(rows, query, outcomeOf(output, failed));
  if (after && after !== rows) return { items: itemsOf(after.todos, after.deps, () => {}) };
  return failed ? { refused: shorten(output, 200) } : undefined;
}
