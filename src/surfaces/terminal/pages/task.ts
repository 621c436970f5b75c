import type { TaskDetail } from "../../../tasks/model.ts";
import type { TaskBoard, TaskCard } from "../../../tasks/rules/board.ts";
import { isClosed } from "../../../tasks/rules/task-at.ts";
import { type Line, span } from "../../text/draw/spans.ts";
import { cardLines } from "../../text/tasks/card.ts";
import { taskHistory } from "../../text/tasks/history.ts";
import { bottomLines, type ScreenParts } from "../screen-parts.ts";
import type { BoardState, TaskWithEvents } from "../state.ts";
import { ORDER, rowOf } from "../tasks-lines.ts";
import { LAST_HINTS, type Pages, windowed } from "./pages.ts";

const INDENT = 2;

/** One task in full, wrapped and never cut. */
export function taskParts(
  pages: Pages,
  board: TaskBoard,
  card: TaskCard,
  state: BoardState,
  known: TaskWithEvents | undefined,
): ScreenParts {
  const { still: page } = pages;
  const detail = known?.task.id === card.task.id ? known : undefined;
  const [title = [], ...rest] = cardLines(page, detailOf(board, card, detail));
  return {
    top: [title, []],
    body: (available) =>
      windowed(page, [...rest, ...historyLines(pages, detail)], available, state.scroll),
    bottom: bottomLines(pages, state, [
      ["esc", "back"],
      ...taskKeys(card),
      ["0-4", "priority"],
      ...LAST_HINTS,
    ]),
  };
}

/** The key hints for a task. */
export function taskKeys({ task }: TaskCard): readonly (readonly [string, string])[] {
  if (isClosed(task))
    return [task.status === "failed" ? ["y", "retry"] : ["space", "reopen"], ["n", "add"]];
  return [
    ["space", "done"],
    ["n", "add"],
    ["o", "assign"],
    ...(task.status === "claimed" ? ([["u", "release"]] as const) : []),
    ["x", "cancel"],
  ];
}

/** The state comes from the board, the full texts from the detail. */
function detailOf({ columns }: TaskBoard, card: TaskCard, detail?: TaskWithEvents): TaskDetail {
  const row = rowOf(card);
  if (detail) {
    const { description, reason, evidence, metadata } = detail.task;
    const full = {
      ...(description !== undefined && { description }),
      ...(reason !== undefined && row.reason !== undefined && { reason }),
      ...(row.evidence.length > 0 && { evidence }),
      metadata,
    };
    return { ...detail, task: { ...row, ...full } };
  }
  const { id } = card.task;
  const others = ORDER.flatMap((column) => columns[column]);
  const ids = (cards: readonly TaskCard[]) => cards.map(({ task }) => task.id);
  return {
    task: row,
    blocks: ids(others.filter(({ waitsFor }) => waitsFor.includes(id))),
    children: ids(others.filter(({ task }) => task.parent === id)),
  };
}

function historyLines(pages: Pages, detail: TaskWithEvents | undefined): readonly Line[] {
  if (!detail || detail.events.length === 0) return [];
  const { still: page } = pages.sized(pages.still.width - INDENT);
  return [
    [],
    [span("  HISTORY", page.tones.dim)],
    ...taskHistory(page)(detail.events).map((line) => [span(" ".repeat(INDENT)), ...line]),
  ];
}
