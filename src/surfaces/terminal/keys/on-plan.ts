import {
  type BoardData,
  type BoardState,
  findRow,
  planComparison,
  revisionsOf,
  rowsOf,
  type Size,
} from "../state.ts";
import { type KeyResult, scrolled, withMessage } from "./key-result.ts";
import { onRow } from "./on-row.ts";

export function onPlan(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  if (!row?.plan) return { state: { ...state, screen: "tracks" } };
  if (name === "escape" || name === "left" || name === "p")
    return {
      state: { ...state, screen: name === "p" ? "track" : "tracks", planBase: undefined },
    };
  if (name === "d" || name === "[" || name === "]") {
    const numbers = revisionsOf(row, data).map(({ number }) => number);
    const earlier = numbers.slice(0, -1);
    const last = earlier.at(-1);
    if (last === undefined) return withMessage(state, "This plan has no earlier revision.");
    const base = planComparison(row, state, data)?.before.number;
    if (name === "d")
      return { state: { ...state, planBase: base === undefined ? last : 0, scroll: 0 } };
    const at = base === undefined ? earlier.length : earlier.indexOf(base);
    const next = earlier[at + (name === "[" ? -1 : 1)];
    return { state: { ...state, planBase: next ?? base ?? last, scroll: 0 } };
  }
  if (name === "enter") return { state: { ...state, screen: "track", item: undefined } };
  return scrolled(state, name, data, size) ?? onRow(state, name, row, data);
}
