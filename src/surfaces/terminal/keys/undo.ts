import type { BoardAction, BoardData, BoardState } from "../state.ts";
import { type KeyResult, withMessage } from "./key-result.ts";

/** Milliseconds for which an action can be undone. */
export const UNDO_FOR = 10_000;
const MOST = 20;

/** Remembers how to revert the action that the user takes now. */
export function withUndo(state: BoardState, action: BoardAction, now: number): BoardState {
  const undos = (state.undos ?? []).filter(({ until }) => until >= now);
  return { ...state, undos: [...undos, { action, until: now + UNDO_FOR }].slice(-MOST) };
}

/** Reverts the last action of the user. */
export function undone(state: BoardState, { now }: BoardData): KeyResult {
  const undos = (state.undos ?? []).filter(({ until }) => until >= now);
  const last = undos.at(-1);
  const rest = { ...state, undos: undos.slice(0, -1) };
  return last ? { state: rest, action: last.action } : withMessage(rest, "Nothing to undo.");
}
