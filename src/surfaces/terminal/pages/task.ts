import type { TaskDetail } from "../../../tasks/model.ts";
import type { TaskBoard, TaskCard } from "../../../tasks/rules/board.ts";
import { isClosed } from "../../../tasks/rules/standing.ts";
import { type Line, span } from "../../text/draw/spans.ts";
import { cardLines } from "../../text/tasks/card.ts";
import { taskHistory } from "../../text/tasks/history.ts";
import { bottomOf, type Parts } from "../parts.ts";
import type { BoardState, TaskStory } from "../state.ts";
import { ORDER, rowOf } from "../tasks-lines.ts";
import { LAST_HINTS, type Pages, windowed } from "./pages.ts";

const INDENT = 2;

/** Everything of one task: it is never cut, it scrolls. */
export function taskParts(
  pages: Pages,
  board: TaskBoard,
  card: TaskCard,
  state: BoardState,
  known: TaskStory | undefined,
): Parts {
  const { still: page } = pages;
  const story = known?.task.id === card.task.id ? known : undefined;
  const [title = [], ...rest] = cardLines(page, detailOf(board, card, story));
  return {
    top: [title, []],
    body: (room) => windowed(page, [...rest, ...historyLines(pages, story)], room, state.scroll),
    bottom: bottomOf(pages, state, [
      ["esc", "back"],
      ...taskKeys(card),
      ["0-4", "priority"],
      ...LAST_HINTS,
    ]),
  };
}

/** What can be done to a task, as the last row tells it. */
export function taskKeys({ task }: TaskCard): readonly (readonly [string, string])[] {
  if (isClosed(task))
    return [
      ["space", "reopen"],
      ["n", "add"],
    ];
  return [
    ["space", "finish"],
    ["n", "add"],
    ["o", "hand over"],
    ...(task.status === "claimed" ? ([["u", "give back"]] as const) : []),
    ["x", "drop"],
  ];
}

/** How it stands is what the board says; what was cut for the board is whole. */
function detailOf({ columns }: TaskBoard, card: TaskCard, story?: TaskStory): TaskDetail {
  const row = rowOf(card);
  if (story) {
    const { description, reason, evidence, metadata } = story.task;
    const whole = {
      ...(description !== undefined && { description }),
      ...(reason !== undefined && row.reason !== undefined && { reason }),
      ...(row.evidence.length > 0 && { evidence }),
      metadata,
    };
    return { ...story, task: { ...row, ...whole } };
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

function historyLines(pages: Pages, story: TaskStory | undefined): readonly Line[] {
  if (!story || story.events.length === 0) return [];
  const { still: page } = pages.sized(pages.still.width - INDENT);
  return [
    [],
    [span("  HISTORY", page.tones.dim)],
    ...taskHistory(page)(story.events).map((line) => [span(" ".repeat(INDENT)), ...line]),
  ];
}
