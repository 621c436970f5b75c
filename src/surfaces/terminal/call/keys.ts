import type { ToolActivity } from "../../../core/activity/activity.ts";
import type { Check, Todo } from "../../../core/model.ts";
import { withoutAnsi } from "../../../core/text/ansi.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { type KeyResult, scrolled, withMessage } from "../keys/key-result.ts";
import { type BoardData, type BoardState, findRow, rowsOf, type Size } from "../state.ts";

type Call = ToolActivity & { readonly callId: string };

/** The calls of a session that can be opened, oldest first. */
export function callsIn({ activity }: Pick<BoardRow, "activity">): readonly Call[] {
  const all = [...(activity?.recent ?? []), ...(activity?.open ?? [])];
  return all
    .filter((call): call is Call => call.callId !== undefined)
    .sort((a, b) => a.startedAt - b.startedAt);
}

/** Opens the call that backs a todo, otherwise the last call of the session. */
export function openCall(state: BoardState, row: BoardRow, todo: Todo | undefined): KeyResult {
  if (row.machine !== undefined)
    return withMessage(state, `This session runs on ${row.machine}. Its output stays there.`);
  const calls = callsIn(row);
  const backing = todo?.check && calls.find(({ endedAt }) => endedAt === todo.check?.at);
  const check: Check | undefined = backing ? undefined : todo?.check;
  const call = backing ?? (check ? undefined : calls.at(-1));
  if (!call && !check)
    return withMessage(state, "This session has no call to show yet. Press v to verify.");
  return {
    state: { ...state, screen: "call", scroll: 0 },
    action: {
      type: "call",
      row,
      ...(call && { call: { callId: call.callId, at: call.startedAt } }),
      ...(check && { check }),
    },
  };
}

export function onCall(state: BoardState, name: string, data: BoardData, size: Size): KeyResult {
  const row = findRow(rowsOf(data.board), state.selected);
  if (!row || name === "escape" || name === "left" || name === "o")
    return { state: { ...state, screen: row ? "track" : "tracks" } };
  const call = data.call?.key === row.key ? data.call : undefined;
  if (!call) return { state };
  switch (name) {
    case "[":
    case "]": {
      const calls = callsIn(row);
      const at = calls.findIndex(({ callId }) => callId === call.detail.callId);
      const next = calls[at + (name === "[" ? -1 : 1)];
      if (at === -1 || !next)
        return withMessage(state, name === "[" ? "No earlier call." : "No later call.");
      const wanted = { callId: next.callId, at: next.startedAt };
      return { state: { ...state, scroll: 0 }, action: { type: "call", row, call: wanted } };
    }
    case "n":
    case "N": {
      const { failures } = call;
      const next =
        name === "n"
          ? failures.find((line) => line > state.scroll)
          : failures.findLast((line) => line < state.scroll);
      if (next === undefined)
        return withMessage(state, failures.length > 0 ? "No more failures." : "No failure found.");
      return { state: { ...state, scroll: next } };
    }
    case "y": {
      const { head = "", tail } = call.detail.output ?? {};
      const text = tail === undefined ? head : `${head}\n…\n${tail}`;
      return { state, action: { type: "copy", text: withoutAnsi(text) } };
    }
    default:
      return scrolled(state, name, data, size) ?? { state };
  }
}
