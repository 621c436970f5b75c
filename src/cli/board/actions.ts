import { CommandError } from "../../core/error.ts";
import type { TrackId } from "../../core/model.ts";
import { same } from "../../core/values.ts";
import type { BoardRow } from "../../core/views/board.ts";
import { saveMore } from "../../home/board-settings.ts";
import { applyChange, changeList, undoList } from "../../servers/board/apply-change.ts";
import { changeArchive } from "../../sessions/archive.ts";
import type { BoardAction } from "../../surfaces/terminal/state.ts";
import type { BoardChecks } from "./checks.ts";
import { type Details, openDetails } from "./details.ts";
import { editOne } from "./edit-list.ts";
import { copy, jump, resume } from "./jump.ts";
import { openPageLinks } from "./page.ts";
import { openPlanDecisions } from "./plan-decisions.ts";
import { showReport } from "./reports.ts";
import type { RunningBoard } from "./running-board.ts";

/** The effects of the keys. */
export interface BoardActions extends Pick<Details, "readRevisions"> {
  /** Resolves with the message to show. */
  perform(act: BoardAction): Promise<string | undefined>;
  /** Delivers what was held back and ends what runs. Messages are printed if the board no longer draws. */
  stop(): Promise<void>;
}

export function openBoardActions(board: RunningBoard): BoardActions {
  const { call, data, demo, tasks } = board;
  const { home } = call;
  const plans = openPlanDecisions(board);
  const details = openDetails(board);
  const page = openPageLinks(board);
  let opened: BoardChecks | undefined;
  const checks = async (): Promise<BoardChecks> => {
    if (demo) throw new CommandError("Checks are off in the demo.");
    const { openBoardChecks } = await import("./checks.ts");
    opened ??= openBoardChecks(call, (run) => {
      board.state = { ...board.state, run };
      board.requestFrame();
    });
    return opened;
  };
  const showChecks = async (row: BoardRow): Promise<undefined> => {
    data.setChecks(undefined);
    try {
      data.setChecks(await (await checks()).list(row));
    } catch (error) {
      board.state = { ...board.state, screen: "track" };
      throw error;
    }
    return undefined;
  };
  const edit = async (id: TrackId): Promise<string | undefined> => {
    const todos = async () => (await (await home.reading()).list(id).read()).todos;
    const before = await todos();
    const message = await editOne(call, id);
    const after = await todos();
    if (!same(before, after)) board.remember({ type: "undo-list", id, before, after });
    return message;
  };
  const perform = async (act: BoardAction): Promise<string | undefined> => {
    switch (act.type) {
      case "quit":
        board.finish();
        return undefined;
      case "demo":
      case "replay":
        board.finish(act.type);
        return undefined;
      case "more":
        saveMore(home.path, act.more);
        return undefined;
      case "page":
        return page.open();
      case "report":
        return showReport(board);
      case "tasks":
        await tasks.open();
        return undefined;
      case "open-task":
        await tasks.readSelected();
        return undefined;
      case "task": {
        const { message, id, undo = [] } = await tasks.apply(act.op);
        if (act.op.op === "add" && id !== undefined) board.state = { ...board.state, task: id };
        if (undo.length === 0) return message;
        board.remember({ type: "undo-task", ops: undo });
        return `${message} Press u to undo.`;
      }
      case "queue": {
        const { type: _, ...change } = act;
        const reason = data.at(Date.now(), board.state).tasks?.paused?.reason;
        const message = await tasks.setPaused(change);
        board.remember({
          type: "queue",
          paused: !change.paused,
          ...(reason !== undefined && !change.paused && { reason }),
        });
        return `${message} Press u to undo.`;
      }
      case "edit":
        return board.whileAway(() => edit(act.id));
      case "history":
        return details.showHistory(act.row, act.step);
      case "call":
        return details.showCall(act);
      case "verify":
        return (await checks()).verify(act.row, act.todo);
      case "cancel-run":
        (await checks()).cancel();
        return undefined;
      case "accept":
        return (await checks()).accept(act.row, act.todo);
      case "checks":
        return showChecks(act.row);
      case "trust": {
        const message = await (await checks()).trust(act.row, act.check);
        await showChecks(act.row);
        return message;
      }
      case "jump":
        return jump(board, act.row, act.pane);
      case "copy":
        return copy(board, act.text)
          ? "Asked the terminal to copy it."
          : "This terminal has no clipboard.";
      case "resume":
        return resume(board, act.words, act.cwd);
      case "archive": {
        const { session, archived, seen } = act;
        await changeArchive(home.path, [{ session, archived, seen }], Date.now());
        board.source?.feed.refresh();
        return undefined;
      }
      case "ops": {
        const { message, undo } = await changeList(call, act);
        if (!undo) return message;
        board.remember(undo);
        return board.state.message === undefined ? "Saved. Press u to undo." : undefined;
      }
      case "undo-list":
        return undoList(call, act);
      case "undo-task": {
        for (const op of act.ops) {
          const { message, undo } = await tasks.apply(op);
          if (undo === undefined) return `Not undone: ${message}`;
        }
        return "Undone.";
      }
      case "undo-plan":
        return plans.undo(act.key);
      case "plan":
        plans.decide(act);
        return undefined;
      case "promote":
        return applyChange(call, act);
    }
  };
  return {
    perform,
    readRevisions: details.readRevisions,
    async stop() {
      page.stop();
      await plans.flush();
      tasks.stop();
      await opened?.stop();
    },
  };
}
