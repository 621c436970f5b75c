import { localTime } from "../../core/text/clock.ts";
import { counted } from "../../core/text/count.ts";
import type { TaskRow } from "../../tasks/model.ts";
import type { TaskBoard, TaskCard, TaskColumn } from "../../tasks/rules/board.ts";
import type { Page } from "../text/draw/page.ts";
import { GAP, type Line, type Span, span, spread } from "../text/draw/spans.ts";
import { padEnd, padStart, widest } from "../text/draw/width.ts";
import { pauseText, taskMark, taskStateLabel, taskTone } from "../text/tasks/labels.ts";
import { highlighted, type Pages } from "./pages/pages.ts";

/** The UI state of the task board. */
export interface TasksState {
  /** The id of the selected task. */
  readonly task?: string | undefined;
  /** Show the selected task in full. */
  readonly taskIsOpen: boolean;
  readonly more: boolean;
}

export const ORDER: readonly TaskColumn[] = ["ready", "claimed", "waiting", "failed", "done"];

const HEADINGS: Readonly<Record<TaskColumn, readonly [title: string, note: string]>> = {
  ready: ["READY", "most urgent first"],
  claimed: ["CLAIMED", "leases renew while the owner is active"],
  waiting: ["BLOCKED", ""],
  failed: ["FAILED", "out of attempts"],
  done: ["DONE TODAY", ""],
};

/** The groups that are shown in full. Done tasks are folded unless there are no others. */
function shownOf({ columns }: TaskBoard, more: boolean): readonly TaskColumn[] {
  const filled = ORDER.filter((column) => columns[column].length > 0);
  const open = filled.filter((column) => column !== "done");
  return more || open.length === 0 ? filled : open;
}

/** The selectable tasks, from top to bottom. */
export function taskCards(board: TaskBoard, more: boolean): readonly TaskCard[] {
  return shownOf(board, more).flatMap((column) => board.columns[column]);
}

/** The selected task (default: the first). */
export function taskOf(
  board: TaskBoard | undefined,
  { task, more }: TasksState,
): TaskCard | undefined {
  if (!board) return undefined;
  const cards = taskCards(board, more);
  return cards.find((card) => card.task.id === task) ?? cards[0];
}

/** The task that is shown in full, whichever column it is in now. */
export function openTaskOf(
  board: TaskBoard | undefined,
  { task, taskIsOpen }: TasksState,
): TaskCard | undefined {
  if (!board || !taskIsOpen) return undefined;
  return ORDER.flatMap((column) => board.columns[column]).find((card) => card.task.id === task);
}

const COUNT_LABELS: Readonly<Record<TaskColumn, string>> = {
  ready: "ready",
  claimed: "claimed",
  waiting: "blocked",
  failed: "failed",
  done: "done",
};

export function tasksHead({ still: page }: Pages, board: TaskBoard | undefined, now: number): Line {
  const { tones, marks, width } = page;
  const { counts } = board ?? { counts: undefined };
  const labels = ORDER.flatMap((column) =>
    counts && counts[column] > 0 ? [`${counts[column]} ${COUNT_LABELS[column]}`] : [],
  );
  const parts = labels.flatMap((text, index): Span[] => [
    ...(index === 0 ? [] : [span(` ${marks.separator} `, tones.dim)]),
    span(text, text.endsWith("failed") ? tones.broken : undefined),
  ]);
  const left = [
    span(marks.agentBar, tones.you),
    span("tasks", tones.bold),
    span(width < 60 ? "  " : "   "),
    ...parts,
  ];
  const clock = localTime(now, page.options.timeZone)?.clock ?? "";
  return spread(left, [span(clock, tones.dim)], width, marks.ellipsis);
}

/** The strip that says that the queue is paused; the key resumes it. */
export function pausedLines(
  { still: page }: Pages,
  board: TaskBoard | undefined,
  now: number,
): readonly Line[] {
  if (!board?.paused) return [];
  const { tones, marks, width } = page;
  return [
    spread(
      [span(" ! ", tones.watch), span(page.safe(pauseText(board.paused, now)), tones.watch)],
      [span("P ", tones.bold), span("resume ", tones.dim)],
      width,
      marks.ellipsis,
    ),
  ];
}

export interface TasksBody {
  readonly lines: readonly Line[];
  readonly focus: readonly [number, number];
  /** For each line, the id of its task. */
  readonly keys: readonly (string | undefined)[];
}

/** Lays out only tasks near the selected one: there may be thousands. */
export function tasksBody(
  { still: page }: Pages,
  board: TaskBoard,
  state: TasksState,
  small: boolean,
  available: number,
): TasksBody {
  const { tones } = page;
  const cards = taskCards(board, state.more);
  const selected = taskOf(board, state);
  const selectedIndex = selected ? cards.indexOf(selected) : 0;
  const near = cards.slice(Math.max(0, selectedIndex - available), selectedIndex + available);
  const sizes = sizesOf(page, near.map(rowOf), small);
  const lines: Line[] = [];
  const keys: (string | undefined)[] = [];
  let focus: readonly [number, number] = [0, 0];
  let index = 0;
  for (const column of shownOf(board, state.more)) {
    if (!small) {
      const [title, note] = HEADINGS[column];
      if (lines.length > 0) lines.push([]);
      lines.push([span(`  ${title}`, tones.dim), span(note && `  ${note}`, tones.edge)]);
    }
    while (keys.length < lines.length) keys.push(undefined);
    for (const card of board.columns[column]) {
      const isNear = Math.abs(index - selectedIndex) <= available;
      if (card === selected) {
        focus = [lines.length, lines.length];
        lines.push(highlighted(page, taskLine(page, card, sizes, true), page.width));
      } else lines.push(isNear ? taskLine(page, card, sizes, false) : []);
      keys.push(card.task.id);
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
  while (keys.length < lines.length) keys.push(undefined);
  return { lines, focus, keys };
}

export function rowOf({ task, waitsFor }: TaskCard): TaskRow {
  return { ...task, waitsFor };
}

function stateLabel(page: Page, row: TaskRow): string {
  const { status, reason, attempts, maxAttempts } = row;
  if (status !== "failed" || !reason) return taskStateLabel(page, row);
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
  const fixed = LEAD + page.marks.statusCells + 1 + id + 1 + priority + GAP;
  const max = Math.floor(page.width * (small ? 0.35 : 0.4));
  const state = Math.min(max, widest(rows.map((row) => stateLabel(page, row))));
  return { id, state, priority: !small, subject: Math.max(8, page.width - fixed - state) };
}

function taskLine(page: Page, card: TaskCard, sizes: Sizes, selected: boolean): Line {
  const { marks, tones } = page;
  const row = rowOf(card);
  const tone = taskTone(page, row);
  const isLow = card.lease?.isLow === true;
  const mark = isLow ? marks.stalled : taskMark(page, row);
  const subject = page.cut(page.safe(row.subject), sizes.subject);
  return [
    span(padEnd(selected ? marks.pointer : "", LEAD), tones.you),
    span(`${padEnd(mark, marks.statusCells)} `, isLow ? tones.watch : tone),
    span(`${padStart(row.id, sizes.id)} `, tones.dim),
    ...(sizes.priority ? [span(`P${row.priority}${" ".repeat(GAP)}`, tones.dim)] : []),
    span(padEnd(subject, sizes.subject), row.status === "claimed" ? tones.bold : undefined),
    span(" ".repeat(GAP)),
    span(page.cut(stateLabel(page, row), sizes.state), isLow ? tones.watch : (tone ?? tones.dim)),
  ];
}
