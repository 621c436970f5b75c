import { type BoardData, type BoardState, findRow, rowsOf, type Size } from "../state.ts";
import { type KeyResult, scrolled } from "./key-result.ts";
import { onRow } from "./on-row.ts";

export function onPlan(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  if (!row?.plan) return { state: { ...state, screen: "tracks" } };
  if (name === "escape" || name === "left" || name === "p")
    return { state: { ...state, screen: name === "p" ? "track" : "tracks" } };
  if (name === "enter") return { state: { ...state, screen: "track", item: undefined } };
  return scrolled(state, name, data, size) ?? onRow(state, name, row, data);
}
