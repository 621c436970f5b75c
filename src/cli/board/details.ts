import { firstShown } from "../../core/activity/calls/failures.ts";
import { planFingerprint } from "../../core/plan/decide.ts";
import { revisionOf } from "../../core/plan/plan.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { BoardRow } from "../../core/views/board.ts";
import { historyStepAt } from "../../surfaces/terminal/history-step.ts";
import type { BoardAction } from "../../surfaces/terminal/state.ts";
import type { RunningBoard } from "./running-board.ts";

/** Reads what the pages of one session show on demand. */
export interface Details {
  showCall(act: BoardAction & { readonly type: "call" }): Promise<undefined>;
  /** Shows the list after one of its changes. */
  showHistory(row: BoardRow, step: number): Promise<string | undefined>;
  /** Reads the revisions of the plan on the screen, once for each of its states. */
  readRevisions(): Promise<void>;
}

export function openDetails(board: RunningBoard): Details {
  const { data } = board;
  /** Identifies the plan whose revisions are known. */
  let revised = "";
  const trackOf = (key: string | undefined) =>
    data.tracks().find(({ track }) => trackKey(track) === key);
  const listOf = async (key: string) => {
    const each = trackOf(key);
    return each && board.source?.feed.read(each);
  };
  return {
    async showCall(act) {
      const { row } = act;
      data.setCall(undefined);
      try {
        const { readShownCall } = await import("../calls/board-call.ts");
        const shown = await readShownCall(await listOf(row.key), row.key, act);
        if (board.state.screen !== "call" || board.state.selected !== row.key) return undefined;
        data.setCall(shown);
        board.state = { ...board.state, scroll: firstShown(shown.failures) };
      } catch (error) {
        if (board.state.screen === "call") board.state = { ...board.state, screen: "track" };
        throw error;
      }
      return undefined;
    },
    async showHistory(row, step) {
      const each = trackOf(row.key);
      const list = await listOf(row.key);
      const past = each && list && (await historyStepAt(list, each.track, row.key, step));
      data.setHistoryStep(past);
      if (past) return undefined;
      board.state = { ...board.state, screen: "track" };
      return "This list has no changes yet.";
    },
    async readRevisions() {
      const { screen, selected = "" } = board.state;
      const plan = screen === "plan" ? trackOf(selected)?.plan : undefined;
      if (!plan || revisionOf(plan) < 2) return;
      const key = [selected, planFingerprint(plan), plan.state, plan.comments?.length].join(" ");
      if (key === revised) return;
      revised = key;
      const revisions = await (await listOf(selected))?.revisions();
      if (revisions) data.setRevisions({ key: selected, revisions });
      board.requestFrame();
    },
  };
}
