import { chipAt, targetAt } from "../screen.ts";
import type { BoardData, BoardState, Size } from "../state.ts";
import { nextSort, withValue } from "./in-chips.ts";

/** Milliseconds between the clicks of a double click. */
const DOUBLE = 500;

export interface Click {
  readonly column: number;
  readonly row: number;
}

/** Selects what was clicked. `opens` if it is the second click on the same row. */
export function onClick(
  before: BoardState,
  click: Click,
  data: BoardData,
  size: Size,
): { readonly state: BoardState; readonly opens: boolean } {
  const state = { ...before, chip: undefined };
  const spot = chipAt(data, before, size, click);
  if (spot) {
    const { chip, isSet } = spot;
    if (typeof chip === "object") {
      const words = state.words.filter((word) => word !== chip.word);
      return { state: { ...state, words }, opens: false };
    }
    if (chip === "sort") return { state: { ...state, sort: nextSort(state) }, opens: false };
    // A chip that is set is removed; another one waits for the arrow keys.
    return { state: isSet ? withValue(state, chip, undefined) : { ...state, chip }, opens: false };
  }
  const target = targetAt(data, before, size, click);
  if (target === undefined) return { state: { ...state, click: undefined }, opens: false };
  const { click: last } = before;
  const opens = last?.target === target && data.now - last.at <= DOUBLE;
  const clicked = { ...state, click: opens ? undefined : { target, at: data.now } };
  return { state: withTarget(clicked, target), opens };
}

function withTarget(state: BoardState, target: string): BoardState {
  switch (state.screen) {
    case "track":
      return { ...state, item: target };
    case "tasks":
      return { ...state, task: target };
    case "search":
      return { ...state, hit: target };
    default:
      return { ...state, selected: target };
  }
}
