import type { View } from "../../../core/views/view.ts";
import { agentTone, type Page } from "./page.ts";
import { type Line, span } from "./spans.ts";

const MAX_CELLS = 24;

/** One cell per todo, cancelled ones left out; proportional runs if there are more todos than cells. */
export function barOf(page: Page, view: View, available: number): Line {
  const { completed, total, verified } = view.progress;
  const now = view.rows.filter((row) => row.todo.status === "in_progress").length;
  const open = total - completed - now;
  const size = Math.min(MAX_CELLS, available, total);
  if (size <= 0) return [];
  // A status with at least one todo gets at least one cell, and an unfinished list never looks done.
  const cellsOf = (count: number) =>
    Math.min(count, Math.max(1, Math.round((count * size) / total)));
  const nowCells = cellsOf(now);
  const left = size - nowCells;
  const doneCells = open === 0 ? left : Math.max(0, Math.min(cellsOf(completed), left - 1));
  // Rounded down, so the bar never shows more proven todos than there are, but at least one cell.
  const solid = completed === 0 ? 0 : Math.floor((verified * doneCells) / completed);
  const verifiedCells = verified > 0 && doneCells > 0 ? Math.max(1, solid) : 0;
  const { bar } = page.marks;
  return [
    span(bar.proven.repeat(verifiedCells), page.tones.verified),
    span(bar.done.repeat(doneCells - verifiedCells), page.tones.dim),
    span(bar.now.repeat(nowCells), agentTone(page, view)),
    span(bar.open.repeat(left - doneCells), page.tones.edge),
  ];
}
