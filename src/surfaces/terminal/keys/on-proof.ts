import { evidenceStateOf } from "../../../core/checks/evidence-state.ts";
import type { Todo } from "../../../core/model.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { openCall } from "../call/keys.ts";
import { mayRun } from "../pages/checks.ts";
import {
  type BoardData,
  type BoardState,
  findRow,
  rowsOf,
  type Size,
  selectedTodo,
} from "../state.ts";
import { type KeyResult, movedIndex, scrolled, withMessage } from "./key-result.ts";

/** Keys that run checks, on the screens of a session. */
export function onVerify(
  state: BoardState,
  name: string,
  row: BoardRow,
  todo: Todo | undefined,
): KeyResult | undefined {
  switch (name) {
    case "v":
      if (state.run) return withMessage(state, "A check is running. Press V to cancel it.");
      if (!todo) return withMessage(state, "Select a todo to verify.");
      return { state, action: { type: "verify", row, todo } };
    case "V":
      if (!state.run) return withMessage(state, "No check is running.");
      return { state, action: { type: "cancel-run" } };
    case "o":
      if (!todo?.proof) return openCall(state, row, todo);
      return { state: { ...state, screen: "proof", scroll: 0 } };
    case "C":
      return {
        state: { ...state, screen: "checks", hitIndex: 0 },
        action: { type: "checks", row },
      };
    default:
      return undefined;
  }
}

export function onProof(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  const todo = row && selectedTodo(row, state);
  if (!row || !todo?.proof) return { state: { ...state, screen: "track" } };
  if (name === "escape" || name === "left" || name === "o")
    return { state: { ...state, screen: "track" } };
  if (name === "y") {
    if (evidenceStateOf(todo) !== "warned")
      return withMessage(state, "This run has no warnings to accept.");
    return { state, action: { type: "accept", row, todo } };
  }
  return scrolled(state, name, data, size) ?? onVerify(state, name, row, todo) ?? { state };
}

export function onChecks(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  if (!row || name === "escape" || name === "left" || name === "C")
    return { state: { ...state, screen: row ? "track" : "tracks" } };
  const checks = data.checks?.checks ?? [];
  const to = movedIndex(name, state.hitIndex, checks.length, Math.max(1, size.rows - 6));
  if (to !== undefined) return { state: { ...state, hitIndex: to } };
  const check = checks[Math.min(state.hitIndex, checks.length - 1)];
  if (name !== "y" || !check) return { state };
  if (mayRun(check)) return withMessage(state, `The check ${check.name} can already run.`);
  return { state, action: { type: "trust", row, check } };
}
