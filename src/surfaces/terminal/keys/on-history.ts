import { type BoardData, type BoardState, findRow, rowsOf } from "../state.ts";
import type { KeyResult } from "./key-result.ts";

export function onHistory(state: BoardState, name: string, data: BoardData): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  if (!row || name === "escape" || name === "h") return { state: { ...state, screen: "track" } };
  const { historyStep } = data;
  if (!historyStep) return { state };
  const last = historyStep.count - 1;
  const steps: Readonly<Record<string, number>> = {
    "[": historyStep.step - 1,
    up: historyStep.step - 1,
    k: historyStep.step - 1,
    left: historyStep.step - 1,
    "]": historyStep.step + 1,
    down: historyStep.step + 1,
    j: historyStep.step + 1,
    right: historyStep.step + 1,
    home: 0,
    "<": 0,
    end: last,
    ">": last,
  };
  const wanted = steps[name];
  if (wanted === undefined) return { state };
  const step = Math.max(0, Math.min(last, wanted));
  return { state: { ...state, step }, action: { type: "history", row, step } };
}
