import type { StreamItem } from "../../core/stream/events.ts";
import type { Emit, EventContext } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { fields, type ItemShape, items, list, number, parsed, text } from "../common/values.ts";
import type { HermesState, OpenCall } from "./messages.ts";

const TODO: ItemShape = { text: ["content"], id: ["id"] };
/** Hermes itself does not replay longer results. */
const MAX_RESULT = 512_000;

export function isListTool(name: string): boolean {
  return name === "todo" || name === "todo_list";
}

/** Reads the result of a list call: the whole list and its revision, for writes and reads. */
export function readListResult(
  state: HermesState,
  call: OpenCall,
  content: unknown,
  context: EventContext,
  emit: Emit,
): void {
  if (typeof content !== "string") return;
  if (content.length > MAX_RESULT) {
    emit(
      {
        type: "warning",
        code: "too_large",
        message: "the list is longer than the agent reads back",
      },
      context,
    );
    return;
  }
  const result = fields(parsed(content));
  const todos = list(result?.todos);
  if (!todos) {
    if (call.writes === false) return;
    const message = shorten(text(result?.error) ?? content, 200);
    emit({ type: "warning", code: "list_rejected", message }, context);
    return;
  }
  if (!isNewer(state, call, number(result?.revision))) return;
  emit(
    {
      type: "todo_list",
      todoId: `${state.session || "unknown"}-main`,
      items: todos.flatMap((todo) =>
        items([todo], TODO, (body) => emit(body, { ...context, key: undefined })).map((item) =>
          withParent(item, todo),
        ),
      ),
    },
    context,
  );
}

/**
 * Whether a result has a new list. The revision counts changes. Results of one message may come in any order, so the
 * highest revision wins. Revisions restart with the process, so a lower one in a later message is new, too.
 */
function isNewer(state: HermesState, call: OpenCall, revision: number | undefined): boolean {
  if (revision === undefined) return call.writes !== false;
  if (revision <= state.newest || revision === state.revision) return false;
  state.newest = revision;
  state.revision = revision;
  return true;
}

function withParent(item: StreamItem, todo: unknown): StreamItem {
  const parent = text(fields(todo)?.parent);
  return parent === undefined ? item : { ...item, parent };
}
