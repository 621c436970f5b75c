import { moved, type Pressed } from "./pressed.ts";
import type { BoardState, Size, World } from "./state.ts";
import { taskCards, taskOf } from "./tasks-lines.ts";

export function onTasks(state: BoardState, name: string, { tasks }: World, size: Size): Pressed {
  if (name === "escape" || name === "left") {
    if (state.taskIsOpen) return { state: { ...state, taskIsOpen: false } };
    return { state: { ...state, place: state.from } };
  }
  if (!tasks) return { state };
  const cards = taskCards(tasks, state.more);
  const card = taskOf(tasks, state);
  const place = Math.max(0, card ? cards.indexOf(card) : 0);
  const to = moved(name, place, cards.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, task: cards[to]?.task.id } };
  if (name !== "enter" && name !== "right") return { state };
  return { state: { ...state, task: card?.task.id, taskIsOpen: !state.taskIsOpen } };
}
