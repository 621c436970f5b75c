import {
  type BoardState,
  type Field,
  findRow,
  itemOf,
  type ListField,
  rowsOf,
  type World,
} from "../state.ts";
import type { Key } from "./keys.ts";
import { sentOfTask } from "./on-tasks.ts";
import { type Pressed, said } from "./pressed.ts";

const MAX_FIELD = 4_000;

export function inField(state: BoardState, field: Field, key: Key, world: World): Pressed {
  const write = (text: string): Pressed => ({
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
      return isOfList(field) ? sent(closed, field, world) : sentOfTask(closed, field, world);
    default:
      return { state };
  }
}

export function withoutLast(text: string): string {
  return Array.from(text).slice(0, -1).join("");
}

const LIST_FIELDS: readonly Field["kind"][] = ["add", "note", "comment", "reject"];

function isOfList(field: Field): field is ListField {
  return LIST_FIELDS.includes(field.kind);
}

/** What was written goes where it was meant for. */
function sent(state: BoardState, { kind, text, seen }: ListField, world: World): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  const words = text.trim();
  if (!row || (words === "" && kind !== "reject")) return { state };
  const { session, agent } = row.track;
  const id = { session, agent };
  switch (kind) {
    case "add":
      return { state, act: { type: "ops", id, ops: [{ op: "add", todos: [{ text: words }] }] } };
    case "note": {
      const item = itemOf(row, state);
      const todo =
        item && "todo" in item ? row.track.todos.find((each) => each.id === item.todo) : undefined;
      // Where it is gone another one would be taken for it.
      if (!todo || item?.item !== state.item)
        return said(state, "That todo is gone. The note was not written.");
      const target = { ref: todo.ref ?? todo.id };
      return { state, act: { type: "ops", id, ops: [{ op: "note", target, text: words }] } };
    }
    case "comment":
    case "reject":
      return {
        state,
        act: {
          type: "plan",
          id,
          decision: kind,
          ...(words !== "" && { comment: words }),
          ...(seen !== undefined && { seen }),
        },
      };
  }
}
