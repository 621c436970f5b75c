import { scrollLimit } from "../screen.ts";
import type { BoardAction, BoardData, BoardState, Size } from "../state.ts";

export interface KeyResult {
  readonly state: BoardState;
  readonly action?: BoardAction;
}

export function withMessage(state: BoardState, message: string): KeyResult {
  return { state: { ...state, message } };
}

const UP = new Set(["up", "k", "wheel up"]);
const DOWN = new Set(["down", "j", "wheel down"]);
const FIRST = new Set(["home", "<"]);
const LAST = new Set(["end", ">"]);

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
  if (FIRST.has(name)) return 0;
  if (LAST.has(name)) return last;
  if (name === "page up") return to(index - page);
  return name === "page down" ? to(index + page) : undefined;
}

/** The result of a movement key on a screen that scrolls; undefined for other keys. */
export function scrolled(
  state: BoardState,
  name: string,
  data: BoardData,
  size: Size,
): KeyResult | undefined {
  if (movedIndex(name, 0, 1, 1) === undefined) return undefined;
  const limit = scrollLimit(data, state, size);
  const scroll = movedIndex(name, state.scroll, limit + 1, Math.max(1, size.rows - 6));
  return { state: { ...state, scroll: scroll ?? state.scroll } };
}
