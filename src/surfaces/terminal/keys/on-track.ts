import type { Op, Todo } from "../../../core/model.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { isOpen } from "../../../core/views/view.ts";
import {
  type BoardData,
  type BoardState,
  findRow,
  itemOf,
  itemsOf,
  rowsOf,
  type Size,
  selectedTodo,
} from "../state.ts";
import { type KeyResult, movedIndex } from "./key-result.ts";
import { onVerify } from "./on-proof.ts";
import { onRow, refuseExternal } from "./on-row.ts";

export function onTrack(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  if (!row) return { state: { ...state, screen: "tracks" } };
  const items = itemsOf(row);
  const item = itemOf(row, state);
  const index = items.findIndex((each) => each.item === item?.item);
  const to = movedIndex(name, Math.max(0, index), items.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, item: items[to]?.item } };
  switch (name) {
    case "escape":
    case "left":
    case "backspace": {
      const parent = state.above.at(-1);
      if (parent === undefined) return { state: { ...state, screen: "tracks" } };
      const above = state.above.slice(0, -1);
      return { state: { ...state, above, selected: parent, item: `track ${row.key}` } };
    }
    case "enter":
    case "right":
      if (!item || !("child" in item)) return { state };
      return {
        state: {
          ...state,
          above: [...state.above, row.key],
          selected: item.child.key,
          item: undefined,
        },
      };
    default: {
      const todo = selectedTodo(row, state);
      const { session, agent } = row.track;
      return (
        (todo && onTodo({ ...state, item: item?.item }, name, row, todo, { session, agent })) ??
        onVerify({ ...state, item: item?.item }, name, row, todo) ??
        onRow(state, name, row, data)
      );
    }
  }
}

function onTodo(
  state: BoardState,
  name: string,
  row: BoardRow,
  todo: Todo,
  id: { readonly session: string; readonly agent: string },
): KeyResult | undefined {
  const target = { ref: todo.ref ?? todo.id };
  const change = (...ops: readonly Op[]): KeyResult =>
    refuseExternal(state, row) ?? { state, action: { type: "ops", id, ops } };
  const noted = (op: Op, message: string): KeyResult => {
    const done = change(op);
    return done.action ? { ...done, state: { ...state, message } } : done;
  };
  switch (name) {
    case " ":
      return isOpen(todo)
        ? noted({ op: "finish", target }, "Marked done. Press u to undo.")
        : noted({ op: "reopen", target }, "Reopened. Press u to undo.");
    case "x":
      return noted({ op: "drop", target }, "Cancelled. Press u to undo.");
    case "m":
      return (
        refuseExternal(state, row) ?? { state: { ...state, field: { kind: "note", text: "" } } }
      );
    case "T":
      return (
        refuseExternal(state, row) ?? { state, action: { type: "promote", id, todo: todo.id } }
      );
    case "alt up":
    case "alt down": {
      const at = row.track.todos.indexOf(todo);
      const to = at + (name === "alt up" ? -1 : 1);
      if (to < 0 || to >= row.track.todos.length) return { state };
      return change({ op: "move", target, to });
    }
    default:
      return undefined;
  }
}
