import { SECOND } from "../../core/text/duration.ts";
import { trackKey } from "../../core/text/ids.ts";
import { titleOf } from "../../core/views/title.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { applyChange } from "../../servers/board/apply-change.ts";
import { holdDecisions } from "../../servers/board/held.ts";
import { UNDO_FOR } from "../../surfaces/terminal/keys/undo.ts";
import type { PlanAction } from "../../surfaces/terminal/state.ts";
import type { RunningBoard } from "./running-board.ts";

/** Decisions on plans reach the agent after the time in which they can be undone, or when the board ends. */
export interface PlanDecisions {
  decide(act: PlanAction): void;
  /** Returns what happened, in a sentence. */
  undo(key: string): string;
  /** Delivers every decision. */
  flush(): Promise<void>;
}

export function openPlanDecisions(board: RunningBoard): PlanDecisions {
  const { call, data } = board;
  let countdown: NodeJS.Timeout | undefined;
  const held = holdDecisions<PlanAction>(UNDO_FOR, async (act) => {
    const message = await applyChange(call, act).catch((error: unknown) => redactedMessage(error));
    show();
    if (board.isDrawing) board.showMessage(message);
    else if (message !== undefined) call.terminal.print(message);
  });
  const show = (): void => {
    const all = held.all().map(({ key, decision, until }) => {
      const each = data.tracks().find(({ track }) => trackKey(track) === key);
      return { key, until, decision: decision.decision, title: each ? titleOf(each) : "" };
    });
    board.state = { ...board.state, held: all };
    clearInterval(countdown);
    countdown =
      all.length > 0 && board.isDrawing ? setInterval(board.requestFrame, SECOND) : undefined;
    board.requestFrame();
  };
  return {
    decide(act) {
      const key = trackKey(act.id);
      held.hold(key, act, Date.now());
      board.remember({ type: "undo-plan", key });
      show();
    },
    undo(key) {
      const isUndone = held.undo(key);
      show();
      return isUndone ? "Taken back. The agent still waits." : "Too late: the agent has it.";
    },
    async flush() {
      clearInterval(countdown);
      await held.flush();
    },
  };
}
