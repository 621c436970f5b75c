import type { BoardAction, BoardState, Size } from "../state.ts";

export interface KeyResult {
  readonly state: BoardState;
  readonly action?: BoardAction;
}

export function withMessage(state: BoardState, message: string): KeyResult {
  return { state: { ...state, message } };
}

const UP = new Set(["up", "k", "wheel up"]);
const DOWN = new Set(["down", "j", "wheel down"]);

/** The index that a movement key leads to in a list; undefined for other keys. */
export function movedIndex(
  name: string,
  index: number,
  count: number,
  page: number,
): number | undefined {
  const last = Math.max(0, count - 1);
  const to = (next: number) => Math.max(0, Math.min(last, next));
  if (UP.has(name)) return to(index - 1);
  if (DOWN.has(name)) return to(index + 1);
  if (name === "g" || name === "home") return 0;
  if (name === "G" || name === "end") return last;
  if (name === "page up") return to(index - page);
  return name === "page down" ? to(index + page) : undefined;
}

export function scrolled(state: BoardState, name: string, size: Size): KeyResult | undefined {
  const to = movedIndex(name, state.scroll, 10_000, Math.max(1, size.rows - 6));
  return to === undefined ? undefined : { state: { ...state, scroll: name === "G" ? 0 : to } };
}
