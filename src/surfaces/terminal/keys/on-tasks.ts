import { PRIORITIES, type Task } from "../../../tasks/model.ts";
import type { TaskCard } from "../../../tasks/rules/board.ts";
import { isClosed } from "../../../tasks/rules/task-at.ts";
import { userOps } from "../../../tasks/rules/user-ops.ts";
import type { UserTaskOp } from "../../../tasks/wire.ts";
import type { PickerKind } from "../picker/items.ts";
import type { BoardData, BoardState, Size, TaskField } from "../state.ts";
import { openTaskOf, taskCards, taskOf } from "../tasks-lines.ts";
import { type KeyResult, movedIndex, scrolled } from "./key-result.ts";

export function onTasks(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const { tasks } = data;
  if (name === "n") return openField(state, { kind: "task", text: "" });
  const open = openTaskOf(tasks, state);
  if (name === "escape" || name === "left") {
    if (open) return { state: { ...state, taskIsOpen: false } };
    return { state: { ...state, screen: state.from } };
  }
  if (name === "P" && tasks && !open)
    return { state, action: { type: "queue", paused: tasks.paused === undefined } };
  const card = open ?? taskOf(tasks, state);
  if (!tasks || !card) return { state };
  const { task } = card;
  if (open) {
    if (name === "enter") return { state: { ...state, taskIsOpen: false } };
    return scrolled(state, name, data, size) ?? onTask(state, name, card);
  }
  const cards = taskCards(tasks, state.more);
  const to = movedIndex(name, cards.indexOf(card), cards.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, task: cards[to]?.task.id } };
  const selected = { ...state, task: task.id };
  if (name === "enter" || name === "right")
    return {
      state: { ...selected, taskIsOpen: true, scroll: 0 },
      action: { type: "open-task" },
    };
  return onTask(selected, name, card);
}

function openField(state: BoardState, field: TaskField): KeyResult {
  return { state: { ...state, field } };
}

function openPicker(
  state: BoardState,
  kind: PickerKind,
  task: Task,
  selected: readonly string[],
): KeyResult {
  return { state: { ...state, picker: { kind, task, query: "", index: 0, selected } } };
}

function sendOp(state: BoardState, op: UserTaskOp): KeyResult {
  return { state, action: { type: "task", op } };
}

/** Keys for one task. The store validates the change and words the refusal. */
function onTask(state: BoardState, name: string, { task, waitsFor }: TaskCard): KeyResult {
  const priority = PRIORITIES.find((each) => String(each) === name);
  if (priority !== undefined) return sendOp(state, userOps.setPriority(task, priority));
  switch (name) {
    case "y":
      return task.status === "failed" ? sendOp(state, userOps.reopen(task)) : { state };
    case " ":
      return isClosed(task)
        ? sendOp(state, userOps.reopen(task))
        : openField(state, { kind: "finish", text: "", task, waitsFor });
    case "x":
      return openField(state, { kind: "drop", text: "", task });
    case "o":
      return openPicker(state, "owner", task, []);
    case "b":
      return openPicker(state, "blockers", task, task.blockedBy);
    case "l":
      return openPicker(state, "labels", task, task.labels);
    case "e":
      return openField(state, { kind: "subject", text: task.subject, task });
    default:
      return { state };
  }
}

/** Submits the input field of a task, even if the selection has moved on. */
export function submitTaskField(state: BoardState, field: TaskField, data: BoardData): KeyResult {
  const input = field.text.trim();
  switch (field.kind) {
    case "finish":
      return sendOp(
        selectNeighbor(state, field.task, data),
        userOps.finish(field.task, input, field.waitsFor),
      );
    case "drop":
      return sendOp(selectNeighbor(state, field.task, data), userOps.cancel(field.task, input));
  }
  if (input === "") return { state };
  switch (field.kind) {
    case "task":
      return sendOp(state, { op: "add", tasks: [{ subject: input }] });
    case "subject":
      return sendOp(state, userOps.rename(field.task, input));
  }
}

/** Selects the next task, because a closed one leaves the list. */
function selectNeighbor(state: BoardState, { id }: Task, { tasks }: BoardData): BoardState {
  if (!tasks || state.taskIsOpen || state.more) return state;
  const cards = taskCards(tasks, false);
  const index = cards.findIndex(({ task }) => task.id === id);
  const next = cards[index + 1] ?? cards[index - 1];
  return index < 0 || !next ? state : { ...state, task: next.task.id };
}
