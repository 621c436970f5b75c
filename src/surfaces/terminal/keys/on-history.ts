import { type BoardState, findRow, rowsOf, type World } from "../state.ts";
import type { Pressed } from "./pressed.ts";

export function onHistory(state: BoardState, name: string, world: World): Pressed {
  const row = findRow(rowsOf(world.board), state.selected);
  if (!row || name === "escape" || name === "h") return { state: { ...state, place: "track" } };
  const { past } = world;
  if (!past) return { state };
  const last = past.count - 1;
  const steps: Readonly<Record<string, number>> = {
    "[": past.step - 1,
    up: past.step - 1,
    k: past.step - 1,
    left: past.step - 1,
    "]": past.step + 1,
    down: past.step + 1,
    j: past.step + 1,
    right: past.step + 1,
    g: 0,
    G: last,
  };
  const wanted = steps[name];
  if (wanted === undefined) return { state };
  const step = Math.max(0, Math.min(last, wanted));
  return { state: { ...state, step }, act: { type: "past", row, step } };
}
