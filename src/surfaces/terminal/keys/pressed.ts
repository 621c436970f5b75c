import type { Act, BoardState, Size } from "../state.ts";

export interface Pressed {
  readonly state: BoardState;
  readonly act?: Act;
}

export function said(state: BoardState, words: string): Pressed {
  return { state: { ...state, said: words } };
}

const UP = new Set(["up", "k", "wheel up"]);
const DOWN = new Set(["down", "j", "wheel down"]);

/** Where a key leads in a list of so many; nothing for a key that does not move. */
export function moved(
  name: string,
  place: number,
  count: number,
  page: number,
): number | undefined {
  const last = Math.max(0, count - 1);
  const to = (next: number) => Math.max(0, Math.min(last, next));
  if (UP.has(name)) return to(place - 1);
  if (DOWN.has(name)) return to(place + 1);
  if (name === "g" || name === "home") return 0;
  if (name === "G" || name === "end") return last;
  if (name === "page up") return to(place - page);
  return name === "page down" ? to(place + page) : undefined;
}

export function scrolled(state: BoardState, name: string, size: Size): Pressed | undefined {
  const to = moved(name, state.scroll, 10_000, Math.max(1, size.rows - 6));
  return to === undefined ? undefined : { state: { ...state, scroll: name === "G" ? 0 : to } };
}
