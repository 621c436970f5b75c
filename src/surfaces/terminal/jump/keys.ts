import type { KeyResult } from "../keys/key-result.ts";
import { type BoardData, type BoardState, findRow, type JumpNotice, rowsOf } from "../state.ts";
import { canResume, copiedText, MOST_PANES } from "./lines.ts";

/** Keys of the notice after a jump; undefined for keys that close it and have their usual effect. */
export function inJump(
  state: BoardState,
  { answer, row: key }: JumpNotice,
  name: string,
  { board }: BoardData,
): KeyResult | undefined {
  const row = findRow(rowsOf(board), key);
  const closed = { ...state, jump: undefined };
  if (name === "escape") return { state: closed };
  const copied = copiedText(answer);
  if (name === "y" && copied !== undefined)
    return { state, action: { type: "copy", text: copied } };
  if (name === "enter" && answer.type === "none" && answer.resume && canResume(answer)) {
    const { words, cwd } = answer.resume;
    return { state: closed, action: { type: "resume", words, ...(cwd !== undefined && { cwd }) } };
  }
  if (answer.type === "choose" && row && /^[1-9]$/.test(name)) {
    const pane = answer.panes.slice(0, MOST_PANES)[Number(name) - 1];
    return pane ? { state, action: { type: "jump", row, pane: pane.key } } : { state };
  }
  return undefined;
}
