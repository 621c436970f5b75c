import { DAY, MINUTE } from "../../core/text/duration.ts";
import { readClosedAt, saveClosedAt } from "../../home/board-settings.ts";
import type { RunningBoard } from "./running-board.ts";

/** Milliseconds for which the board must have been closed to say what changed, and how far back that goes. */
const AWAY_AFTER = 30 * MINUTE;
const MAX_AWAY = 7 * DAY;

/** Shows the report of the last day, or the one that the line about the time away names. */
export async function showReport(board: RunningBoard): Promise<undefined> {
  const { report, isAway } = board.data.at(Date.now(), board.state);
  if (!report || !isAway) await readReport(board, Date.now() - DAY, false);
}

/** Says what changed since the board was closed, if that was a while ago. */
export async function reportAway(board: RunningBoard): Promise<void> {
  const closedAt = board.demo ? undefined : readClosedAt(board.call.home.path);
  if (closedAt === undefined || Date.now() - closedAt < AWAY_AFTER) return;
  await readReport(board, Math.max(closedAt, Date.now() - MAX_AWAY), true);
}

async function readReport(board: RunningBoard, since: number, isAway: boolean): Promise<void> {
  const { source, prices, data } = board;
  if (!source) return;
  const { gatherReport } = await import("../../servers/report/gather.ts");
  const now = Date.now();
  const window = { since, until: now };
  data.setReport(await gatherReport(source.feed, { window, now, prices }), isAway);
  board.requestFrame();
}

export function noteClosed(home: string): void {
  try {
    saveClosedAt(home, Date.now());
  } catch {
    // An unwritable home: the next start does not say what changed.
  }
}
