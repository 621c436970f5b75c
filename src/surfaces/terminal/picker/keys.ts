import { userOps } from "../../../tasks/rules/user-ops.ts";
import type { UserTaskOp } from "../../../tasks/wire.ts";
import { withoutLast } from "../keys/in-field.ts";
import type { Key } from "../keys/key-parser.ts";
import { type KeyResult, withMessage } from "../keys/key-result.ts";
import type { BoardData, BoardState } from "../state.ts";
import { isMultiple, NOBODY, type PickerItem, type PickerState, pickerView } from "./items.ts";

const MAX_QUERY = 200;
const PAGE = 5;

/** Keys of an open list. Letters filter it, so movement has no letters. */
export function inPicker(
  state: BoardState,
  picker: PickerState,
  key: Key,
  data: BoardData,
): KeyResult {
  const { items } = pickerView(picker, data);
  const index = Math.min(picker.index, Math.max(0, items.length - 1));
  const item = items[index];
  const show = (next: Partial<PickerState>): KeyResult => ({
    state: { ...state, picker: { ...picker, ...next } },
  });
  const move = (to: number) => show({ index: Math.max(0, Math.min(items.length - 1, to)) });
  switch (key.name) {
    case "escape":
      return { state: { ...state, picker: undefined } };
    case "up":
    case "wheel up":
      return move(index - 1);
    case "down":
    case "wheel down":
      return move(index + 1);
    case "page up":
      return move(index - PAGE);
    case "page down":
      return move(index + PAGE);
    case "home":
      return move(0);
    case "end":
      return move(items.length - 1);
    case "backspace":
      return show({ query: withoutLast(picker.query), index: 0 });
    case "ctrl u":
      return show({ query: "", index: 0 });
    case "enter":
      return isMultiple(picker)
        ? save(state, picker, item)
        : choose({ ...state, picker: undefined }, picker, item);
    case "text":
      if (key.text === " " && isMultiple(picker)) return toggle(state, picker, item, index);
      return show({ query: `${picker.query}${key.text}`.slice(0, MAX_QUERY), index: 0 });
    default:
      return { state };
  }
}

function toggle(
  state: BoardState,
  picker: PickerState,
  item: PickerItem | undefined,
  index: number,
): KeyResult {
  if (!item) return { state };
  if (item.refused)
    return withMessage(
      state,
      `${item.value} waits for ${picker.task.id}: that would create a cycle.`,
    );
  const isSelected = picker.selected.includes(item.value);
  const selected = isSelected
    ? picker.selected.filter((value) => value !== item.value)
    : [...picker.selected, item.value];
  const query = item.isNew ? "" : picker.query;
  return {
    state: { ...state, picker: { ...picker, selected, query, index: item.isNew ? 0 : index } },
  };
}

function choose(state: BoardState, { task }: PickerState, item: PickerItem | undefined): KeyResult {
  if (!item) return { state };
  const op = item.value === NOBODY ? userOps.release(task) : userOps.handOver(task, item.value);
  return { state, action: { type: "task", op } };
}

/** Without a selection, enter takes the item under the pointer. */
function save(
  state: BoardState,
  { kind, task, selected, query }: PickerState,
  item: PickerItem | undefined,
): KeyResult {
  const closed = { ...state, picker: undefined };
  const former = kind === "labels" ? task.labels : task.blockedBy;
  const isSame = selected.length === former.length && selected.every((id) => former.includes(id));
  const chosen =
    isSame && query.trim() !== "" && item && !item.refused && !selected.includes(item.value)
      ? [...selected, item.value]
      : selected;
  const op = editOp(kind, task, chosen);
  return op ? { state: closed, action: { type: "task", op } } : { state: closed };
}

function editOp(
  kind: PickerState["kind"],
  task: PickerState["task"],
  chosen: readonly string[],
): UserTaskOp | undefined {
  const former = kind === "labels" ? task.labels : task.blockedBy;
  const added = chosen.filter((value) => !former.includes(value));
  const removed = former.filter((value) => !chosen.includes(value));
  if (added.length === 0 && removed.length === 0) return undefined;
  const set =
    kind === "labels"
      ? {
          ...(added.length > 0 && { addLabels: added }),
          ...(removed.length > 0 && { removeLabels: removed }),
        }
      : {
          ...(added.length > 0 && { addBlockedBy: added }),
          ...(removed.length > 0 && { removeBlockedBy: removed }),
        };
  return { op: "edit", id: task.id, set };
}
