import { CHIPS, type Chip, chipChoices, chosenIndex } from "../find/chip-line.ts";
import { SORTS, type Sort } from "../find/shown.ts";
import type { BoardData, BoardState } from "../state.ts";
import type { KeyResult } from "./key-result.ts";

const BACK = new Set(["left", "h"]);
const ON = new Set(["right", "l", "tab"]);
const UP = new Set(["up", "k", "wheel up"]);
const DOWN = new Set(["down", "j", "wheel down", " "]);
const CLEAR = new Set(["x", "backspace", "delete"]);
const DONE = new Set(["escape", "enter", "f"]);

/** Keys while the chips have the focus: arrows choose a chip and its value. Undefined for other keys, which end that. */
export function inChips(
  state: BoardState,
  chip: Chip,
  name: string,
  data: BoardData,
): KeyResult | undefined {
  if (DONE.has(name)) return { state: { ...state, chip: undefined } };
  const index = CHIPS.indexOf(chip);
  const at = (to: number) => CHIPS[(to + CHIPS.length) % CHIPS.length];
  if (BACK.has(name)) return { state: { ...state, chip: at(index - 1) } };
  if (ON.has(name)) return { state: { ...state, chip: at(index + 1) } };
  if (CLEAR.has(name)) return { state: withValue(state, chip, undefined) };
  if (!UP.has(name) && !DOWN.has(name)) return undefined;
  const choices = chipChoices(data, state, chip);
  const step = UP.has(name) ? -1 : 1;
  const next = (chosenIndex(data, state, chip) + step + choices.length) % choices.length;
  return { state: withValue(state, chip, choices[next]?.value) };
}

/** The state with another value of a chip; undefined removes it. */
export function withValue(state: BoardState, chip: Chip, value: string | undefined): BoardState {
  if (chip === "sort") return { ...state, sort: (value as Sort | undefined) ?? SORTS[0] };
  if (chip === "age")
    return { ...state, older: value === undefined, onlyArchived: value === "archived" };
  return {
    ...state,
    filters: { ...state.filters, [chip]: value === undefined ? [] : [value] },
  };
}

export function nextSort({ sort }: Pick<BoardState, "sort">): Sort {
  return SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? SORTS[0];
}
