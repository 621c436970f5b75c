import type { StreamItem } from "../../core/stream/events.ts";
import type { About, Emit } from "../agent.ts";
import { shorten } from "../common/memory.ts";
import { fields, type ItemShape, items, list, number, parsed, text } from "../common/values.ts";
import type { HermesState, OpenCall } from "./messages.ts";

const TODO: ItemShape = { text: ["content"], id: ["id"] };
/** Hermes itself replays no longer results than this. */
const MAX_RESULT = 512_000;

export function isListTool(name: string): boolean {
  return name === "todo" || name === "todo_list";
}

/** The result of a paired call: the whole list with its revision, whether it wrote or read. */
export function readListResult(
  state: HermesState,
  call: OpenCall,
  content: unknown,
  who: About,
  emit: Emit,
): void {
  if (typeof content !== "string") return;
  if (content.length > MAX_RESULT) {
    emit(
      { type: "warning", code: "too_large", message: "a list longer than the agent reads back" },
      who,
    );
    return;
  }
  const result = fields(parsed(content));
  const todos = list(result?.todos);
  if (!todos) {
    if (call.writes === false) return;
    const message = shorten(text(result?.error) ?? content, 200);
    emit({ type: "warning", code: "list_rejected", message }, who);
    return;
  }
  if (!isNews(state, call, number(result?.revision))) return;
  emit(
    {
      type: "todo_list",
      todoId: `${state.session || "unknown"}-main`,
      items: todos.flatMap((todo) =>
        items([todo], TODO, (body) => emit(body, { ...who, key: undefined })).map((item) =>
          withParent(item, todo),
        ),
      ),
    },
    who,
  );
}

/**
 * The revision counts real changes. Results of one message may come in any order: the highest
 * wins. It starts anew with the process, so a lower one in a later message is news all the same.
 */
function isNews(state: HermesState, call: OpenCall, revision: number | undefined): boolean {
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
