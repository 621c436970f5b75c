import { type BoardState, findRow, rowsOf, type Size, type World } from "../state.ts";
import { onRow } from "./on-row.ts";
import { type Pressed, scrolled } from "./pressed.ts";

export function onPlan(state: BoardState, name: string, world: World, size: Size): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  if (!row?.plan) return { state: { ...state, place: "tracks" } };
  if (name === "escape" || name === "left" || name === "p")
    return { state: { ...state, place: name === "p" ? "track" : "tracks" } };
  if (name === "enter") return { state: { ...state, place: "track", item: undefined } };
  return scrolled(state, name, size) ?? onRow(state, name, row, world);
}
