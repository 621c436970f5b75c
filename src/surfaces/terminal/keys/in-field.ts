import {
  type BoardData,
  type BoardState,
  type Field,
  findRow,
  itemOf,
  type ListField,
  rowsOf,
} from "../state.ts";
import type { Key } from "./key-parser.ts";
import { type KeyResult, withMessage } from "./key-result.ts";
import { submitTaskField } from "./on-tasks.ts";

const MAX_FIELD = 4_000;

export function inField(state: BoardState, field: Field, key: Key, data: BoardData): KeyResult {
  const write = (text: string): KeyResult => ({
    state: { ...state, field: { ...field, text: text.slice(0, MAX_FIELD) } },
  });
  const closed = { ...state, field: undefined };
  switch (key.name) {
    case "text":
      return write(field.text + key.text);
    case "backspace":
      return write(withoutLast(field.text));
    case "ctrl u":
      return write("");
    case "escape":
      return { state: closed };
    case "enter":
      return isListField(field)
        ? submitListField(closed, field, data)
        : submitTaskField(closed, field, data);
    default:
      return { state };
  }
}

export function withoutLast(text: string): string {
  return Array.from(text).slice(0, -1).join("");
}

const LIST_FIELDS: readonly Field["kind"][] = ["add", "note", "comment", "reject"];

function isListField(field: Field): field is ListField {
  return LIST_FIELDS.includes(field.kind);
}

/** Submits the input field of a list or plan. */
function submitListField(
  state: BoardState,
  { kind, text, seen }: ListField,
  data: BoardData,
): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  const input = text.trim();
  if (!row || (input === "" && kind !== "reject")) return { state };
  const { session, agent } = row.track;
  const id = { session, agent };
  switch (kind) {
    case "add":
      return { state, action: { type: "ops", id, ops: [{ op: "add", todos: [{ text: input }] }] } };
    case "note": {
      const item = itemOf(row, state);
      const todo =
        item && "todo" in item ? row.track.todos.find((each) => each.id === item.todo) : undefined;
      // `itemOf` falls back to another todo if the selected one was removed.
      if (!todo || item?.item !== state.item)
        return withMessage(state, "The todo was removed; the note was not saved.");
      const target = { ref: todo.ref ?? todo.id };
      return { state, action: { type: "ops", id, ops: [{ op: "note", target, text: input }] } };
    }
    case "comment":
    case "reject":
      return {
        state,
        action: {
          type: "plan",
          id,
          decision: kind,
          ...(input !== "" && { comment: input }),
          ...(seen !== undefined && { seen }),
        },
      };
  }
}
