import { PRIORITIES, type Task } from "../../../tasks/model.ts";
import { byHand } from "../../../tasks/rules/by-hand.ts";
import { isClosed } from "../../../tasks/rules/standing.ts";
import type { PersonTaskOp } from "../../../tasks/wire.ts";
import type { BoardState, Size, TaskField, World } from "../state.ts";
import { openTaskOf, taskCards, taskOf } from "../tasks-lines.ts";
import { moved, type Pressed, scrolled } from "./pressed.ts";

export function onTasks(state: BoardState, name: string, { tasks }: World, size: Size): Pressed {
  if (name === "n") return asking(state, { kind: "task", text: "" });
  const open = openTaskOf(tasks, state);
  if (name === "escape" || name === "left") {
    if (open) return { state: { ...state, taskIsOpen: false } };
    return { state: { ...state, place: state.from } };
  }
  const card = open ?? taskOf(tasks, state);
  if (!tasks || !card) return { state };
  const { task } = card;
  if (open) {
    if (name === "enter") return { state: { ...state, taskIsOpen: false } };
    return scrolled(state, name, size) ?? onTask(state, name, task);
  }
  const cards = taskCards(tasks, state.more);
  const to = moved(name, cards.indexOf(card), cards.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, task: cards[to]?.task.id } };
  const selected = { ...state, task: task.id };
  if (name === "enter" || name === "right")
    return {
      state: { ...selected, taskIsOpen: true, scroll: 0 },
      act: { type: "look" },
    };
  return onTask(selected, name, task);
}

function asking(state: BoardState, field: TaskField): Pressed {
  return { state: { ...state, field } };
}

function sending(state: BoardState, op: PersonTaskOp): Pressed {
  return { state, act: { type: "task", op } };
}

/** The store judges: what cannot be is refused there, in its words. */
function onTask(state: BoardState, name: string, task: Task): Pressed {
  const priority = PRIORITIES.find((each) => String(each) === name);
  if (priority !== undefined) return sending(state, byHand.setPriority(task, priority));
  switch (name) {
    case " ":
      return isClosed(task)
        ? sending(state, byHand.reopen(task))
        : asking(state, { kind: "finish", text: "", task });
    case "x":
      return asking(state, { kind: "drop", text: "", task });
    case "o":
      return asking(state, { kind: "owner", text: "", task });
    case "u":
      return sending(state, byHand.release(task));
    case "b":
      return asking(state, { kind: "blocker", text: "", task });
    case "e":
      return asking(state, { kind: "subject", text: task.subject, task });
    default:
      return { state };
  }
}

/** What was written of a task, also if another one has taken its place meanwhile. */
export function sentOfTask(state: BoardState, field: TaskField, world: World): Pressed {
  const words = field.text.trim();
  switch (field.kind) {
    case "finish":
      return sending(leaving(state, field.task, world), byHand.finish(field.task, words));
    case "drop":
      return sending(leaving(state, field.task, world), byHand.cancel(field.task, words));
  }
  if (words === "") return { state };
  switch (field.kind) {
    case "task":
      return sending(state, { op: "add", tasks: [{ subject: words }] });
    case "owner":
      return sending(state, byHand.handOver(field.task, words));
    case "blocker":
      return sending(state, byHand.waitFor(field.task, words));
    case "subject":
      return sending(state, byHand.rename(field.task, words));
  }
}

/** What is closed leaves the list: the next one is selected. */
function leaving(state: BoardState, { id }: Task, { tasks }: World): BoardState {
  if (!tasks || state.taskIsOpen || state.more) return state;
  const cards = taskCards(tasks, false);
  const place = cards.findIndex(({ task }) => task.id === id);
  const next = cards[place + 1] ?? cards[place - 1];
  return place < 0 || !next ? state : { ...state, task: next.task.id };
}
