import { counted } from "../../core/text/count.ts";
import type { TaskRow } from "../../tasks/model.ts";
import type { TaskBoard, TaskCard, TaskColumn } from "../../tasks/rules/board.ts";
import { momentOf } from "../text/draw/duration.ts";
import type { Page } from "../text/draw/page.ts";
import { GAP, type Line, type Span, span, spread } from "../text/draw/spans.ts";
import { padEnd, padStart, widest } from "../text/draw/width.ts";
import { markOf, markTone, stateOf } from "../text/tasks/words.ts";
import { highlighted, type Pages } from "./pages/pages.ts";

/** Where a person is among the tasks. */
export interface TasksState {
  /** The id of the selected one. */
  readonly task?: string | undefined;
  /** Everything of the selected one is shown. */
  readonly taskIsOpen: boolean;
  readonly more: boolean;
}

export const ORDER: readonly TaskColumn[] = ["ready", "claimed", "waiting", "failed", "done"];

const HEADS: Readonly<Record<TaskColumn, readonly [string, string]>> = {
  ready: ["READY", "next claim takes the first"],
  claimed: ["CLAIMED", "leases renew while the holder works"],
  waiting: ["WAITING", ""],
  failed: ["FAILED", ""],
  done: ["DONE TODAY", ""],
};

/** The groups of which each task is shown. What is done folds as long as there is anything else. */
function shownOf({ columns }: TaskBoard, more: boolean): readonly TaskColumn[] {
  const filled = ORDER.filter((column) => columns[column].length > 0);
  const open = filled.filter((column) => column !== "done");
  return more || open.length === 0 ? filled : open;
}

/** What can be selected, from top to bottom. */
export function taskCards(board: TaskBoard, more: boolean): readonly TaskCard[] {
  return shownOf(board, more).flatMap((column) => board.columns[column]);
}

/** The task that is selected; until one is, the first. */
export function taskOf(
  board: TaskBoard | undefined,
  { task, more }: TasksState,
): TaskCard | undefined {
  if (!board) return undefined;
  const cards = taskCards(board, more);
  return cards.find((card) => card.task.id === task) ?? cards[0];
}

/** The task whose page is shown, wherever it stands by now. */
export function openTaskOf(
  board: TaskBoard | undefined,
  { task, taskIsOpen }: TasksState,
): TaskCard | undefined {
  if (!board || !taskIsOpen) return undefined;
  return ORDER.flatMap((column) => board.columns[column]).find((card) => card.task.id === task);
}

export function tasksHead({ still: page }: Pages, board: TaskBoard | undefined, now: number): Line {
  const { tones, marks, width } = page;
  const { counts } = board ?? { counts: undefined };
  const words = ORDER.flatMap((column) =>
    counts && counts[column] > 0 ? [`${counts[column]} ${column}`] : [],
  );
  const parts = words.flatMap((text, place): Span[] => [
    ...(place === 0 ? [] : [span(` ${marks.separator} `, tones.dim)]),
    span(text, text.endsWith("failed") ? tones.broken : undefined),
  ]);
  const left = [
    span(marks.blaze, tones.you),
    span("tasks", tones.bold),
    span(width < 60 ? "  " : "   "),
    ...parts,
  ];
  const clock = momentOf(now, page.options.timeZone)?.clock ?? "";
  return spread(left, [span(clock, tones.dim)], width, marks.ellipsis);
}

export interface TasksBody {
  readonly lines: readonly Line[];
  readonly focus: readonly [number, number];
}

/** Only what is near the selected task is laid out: there may be thousands. */
export function tasksBody(
  { still: page }: Pages,
  board: TaskBoard,
  state: TasksState,
  small: boolean,
  room: number,
): TasksBody {
  const { tones } = page;
  const cards = taskCards(board, state.more);
  const selected = taskOf(board, state);
  const place = selected ? cards.indexOf(selected) : 0;
  const near = cards.slice(Math.max(0, place - room), place + room);
  const sizes = sizesOf(page, near.map(rowOf), small);
  const lines: Line[] = [];
  let focus: readonly [number, number] = [0, 0];
  let index = 0;
  for (const column of shownOf(board, state.more)) {
    if (!small) {
      const [head, says] = HEADS[column];
      if (lines.length > 0) lines.push([]);
      lines.push([span(`  ${head}`, tones.dim), span(says && `  ${says}`, tones.edge)]);
    }
    for (const card of board.columns[column]) {
      const isNear = Math.abs(index - place) <= room;
      if (card === selected) {
        focus = [lines.length, lines.length];
        lines.push(highlighted(page, taskLine(page, card, sizes, true), page.width));
      } else lines.push(isNear ? taskLine(page, card, sizes, false) : []);
      index++;
    }
  }
  const done = shownOf(board, state.more).includes("done") ? 0 : board.columns.done.length;
  if (done > 0)
    lines.push(
      spread(
        [span(`  DONE TODAY  ${counted(done, "task")}`, tones.dim)],
        [span("ctrl+t ", tones.bold), span("show", tones.dim)],
        page.width,
        page.marks.ellipsis,
      ),
    );
  return { lines, focus };
}

export function rowOf({ task, waitsFor }: TaskCard): TaskRow {
  return { ...task, waitsFor };
}

function wordsOf(page: Page, row: TaskRow): string {
  const { status, reason, attempts, maxAttempts } = row;
  if (status !== "failed" || !reason) return stateOf(page, row);
  return `${attempts} of ${maxAttempts}: ${page.safe(reason)}`;
}

interface Sizes {
  readonly id: number;
  readonly subject: number;
  readonly state: number;
  readonly priority: boolean;
}

const LEAD = 2;

function sizesOf(page: Page, rows: readonly TaskRow[], small: boolean): Sizes {
  const id = widest(rows.map((row) => row.id));
  const priority = small ? 0 : 2 + GAP;
  const fixed = LEAD + page.marks.todoCells + 1 + id + 1 + priority + GAP;
  const most = Math.floor(page.width * (small ? 0.35 : 0.4));
  const state = Math.min(most, widest(rows.map((row) => wordsOf(page, row))));
  return { id, state, priority: !small, subject: Math.max(8, page.width - fixed - state) };
}

function taskLine(page: Page, card: TaskCard, sizes: Sizes, selected: boolean): Line {
  const { marks, tones } = page;
  const row = rowOf(card);
  const tone = markTone(page, row);
  const isLow = card.lease?.isLow === true;
  const sign = isLow ? marks.stalled : markOf(page, row);
  const subject = page.cut(page.safe(row.subject), sizes.subject);
  return [
    span(padEnd(selected ? marks.pointer : "", LEAD), tones.you),
    span(`${padEnd(sign, marks.todoCells)} `, isLow ? tones.watch : tone),
    span(`${padStart(row.id, sizes.id)} `, tones.dim),
    ...(sizes.priority ? [span(`P${row.priority}${" ".repeat(GAP)}`, tones.dim)] : []),
    span(padEnd(subject, sizes.subject), row.status === "claimed" ? tones.bold : undefined),
    span(" ".repeat(GAP)),
    span(page.cut(wordsOf(page, row), sizes.state), isLow ? tones.watch : (tone ?? tones.dim)),
  ];
}
