import type { Finding } from "../../core/activity/detect.ts";
import { isActive, type SessionState } from "../../core/activity/session-state.ts";
import type { Waiting, WaitingKind } from "../../core/activity/waiting.ts";
import type { Cost } from "../../core/cost/cost.ts";
import { formatCost } from "../../core/cost/format.ts";
import { formatDuration, formatShortDuration } from "../../core/text/duration.ts";
import type { Row, View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { agentTone, type Page, projectOf, viewTitle } from "./draw/page.ts";
import type { Sgr } from "./draw/paint.ts";
import { type Line, type Span, span, trimLine } from "./draw/spans.ts";
import { cells, widest } from "./draw/width.ts";
import { REQUEST_LABELS } from "./requests.ts";

/** A row of `waymark ls`: a list and the state of its session. */
export interface TrackRow extends View {
  /** The session's short id. */
  readonly id?: string;
  readonly state?: SessionState;
  readonly findings?: readonly Finding[];
  /** The last turn ended with an error. */
  readonly failed?: boolean;
  /** The request that waits, or may wait, for the user. */
  readonly waiting?: Waiting;
  /** A plan waits for approval; same as a `waiting` of kind `plan`. */
  readonly planWaits?: boolean;
  /** Time of the last event. */
  readonly heardAt?: number;
  /** Time of the agent's last activity. */
  readonly activeAt?: number;
  /** The running call. */
  readonly doing?: string;
  /** The session is archived. */
  readonly archived?: boolean;
  /** The cost, with that of subagents, if the agent records its usage. */
  readonly cost?: Cost;
}

interface Column {
  readonly head: string;
  readonly end?: "right";
  readonly cell: (view: TrackRow) => Span;
  /** Maximum width in cells. */
  readonly max: number;
}

const MIN_TITLE = 24;
const MIN_TITLE_WITH_ID = 6;
/** Minimum widths for the NOW and NEXT columns. */
const NOW_WIDTH = 100;
const NEXT_WIDTH = 120;
/** Shares of the TITLE and NEXT columns in a wide table. */
const TITLE_SHARE = 0.28;
const NEXT_SHARE = 0.2;

interface Sized {
  readonly column: Column;
  readonly size: number;
}

/** One line per track. */
export function trackLines(page: Page, views: readonly TrackRow[]): readonly Line[] {
  const columns = fittingColumns(page, views);
  return [
    tableLine(page, columns, ({ head }) => span(head, page.tones.dim)),
    ...views.map((view) => tableLine(page, columns, (column) => column.cell(view))),
  ];
}

function tableLine(page: Page, columns: readonly Sized[], cellOf: (column: Column) => Span): Line {
  const line = columns.flatMap(({ column, size }) => {
    const cell = cellOf(column);
    const shown = { ...cell, text: page.cut(cell.text, size) };
    const available = span(" ".repeat(size - cells(shown.text)));
    const gap = span(" ".repeat(gapOf(column)));
    return column.end === "right" ? [available, shown, gap] : [shown, available, gap];
  });
  return trimLine(line);
}

const gapOf = (column: Column) => (column.end === "right" ? 2 : 1);

/** The most columns that leave enough width for the titles. */
function fittingColumns(page: Page, views: readonly TrackRow[]): readonly Sized[] {
  const id: Column = {
    head: "SESSION",
    max: 20,
    cell: (view) => span(page.safe(view.id ?? ""), page.tones.dim),
  };
  const ids = views.some((view) => view.id !== undefined) ? [id] : [];
  const agent = (code: boolean): Column => ({
    head: code ? "" : "AGENT",
    max: code ? 2 : 12,
    cell: (view) => {
      const look = agentLook(view.agentType);
      return span(page.safe(code ? look.code : look.name), agentTone(page, view));
    },
  });
  const project: Column = {
    head: "PROJECT",
    max: 20,
    cell: (view) => span(projectOf(page, view), page.tones.dim),
  };
  const track: Column = {
    head: "TITLE",
    max: page.width,
    cell: (view) => span(page.safe(view.title ?? "") || nameOf(page, view)),
  };
  const done: Column = {
    head: "DONE",
    end: "right",
    max: 11,
    cell: (view) => doneCell(page, view),
  };
  const state: Column = { head: "STATE", max: 14, cell: (view) => stateCell(page, view) };
  const cost: Column = {
    head: "COST",
    end: "right",
    max: 12,
    cell: ({ cost: known }) =>
      known ? span(formatCost(known, page.options.unicode)) : span("-", page.tones.dim),
  };
  const costs = views.some((view) => view.cost !== undefined) ? [cost] : [];
  const shortTrack = { ...track, max: Math.floor(page.width * TITLE_SHARE) };
  const now: Column = {
    head: "NOW",
    max: page.width,
    cell: (view) => nowCell(page, view),
  };
  const next: Column = {
    head: "NEXT",
    max: Math.floor(page.width * NEXT_SHARE),
    cell: (view) => span(page.safe(view.next?.todo.text ?? ""), page.tones.dim),
  };
  const isDoing = views.some((view) => nowCell(page, view).text !== "");
  const wide = [
    ...(page.width >= NEXT_WIDTH ? [[shortTrack, now, next]] : []),
    ...(page.width >= NOW_WIDTH ? [[shortTrack, now]] : []),
  ].map((columns) => [agent(false), project, ...ids, ...columns, done, ...costs, state]);
  /** Column sets, from the widest, with the minimum width of the flexible column. */
  const sets: readonly (readonly [columns: readonly Column[], minWidth: number])[] = [
    ...(isDoing ? wide : []).map((columns) => [columns, MIN_TITLE] as const),
    [[agent(false), project, ...ids, track, done, ...costs, state], MIN_TITLE],
    [[agent(false), ...ids, track, done, ...costs, state], MIN_TITLE],
    ...(costs.length > 0
      ? [[[agent(true), ...ids, track, done, ...costs, state], MIN_TITLE] as const]
      : []),
    [[agent(true), ...ids, track, done, state], 8],
    [[...ids, track, done], Number.NEGATIVE_INFINITY],
  ];
  for (const [columns, minWidth] of sets) {
    const flexible = columns.includes(now) ? now : track;
    const sized = columns.map((column) => {
      const all = widest([column.head, ...views.map((view) => column.cell(view).text)]);
      return { column, all, size: Math.min(column.max, all) };
    });
    const gaps = columns.slice(0, -1).reduce((sum, column) => sum + gapOf(column), 0);
    const natural = sized.reduce((sum, { size }) => sum + size, gaps);
    const wanted = sized.find(({ column }) => column === flexible)?.size ?? 0;
    const available = page.width - (natural - wanted);
    if (available < Math.min(wanted, minWidth)) continue;
    // If the title would vanish, the session id gives up cells.
    const taken = columns.includes(id)
      ? Math.max(0, Math.min(wanted, MIN_TITLE_WITH_ID) - available)
      : 0;
    return sized.map(({ column, all, size }) => {
      if (column === flexible)
        return { column, size: Math.max(1, Math.min(wanted, available + taken)) };
      if (column === id) return { column, size: Math.max(1, size - taken) };
      // Spare width goes to the titles.
      if (column !== shortTrack) return { column, size };
      return { column, size: Math.min(all, size + Math.max(0, available - wanted)) };
    });
  }
  return [];
}

/** The current todo, or else the running call. */
function nowCell(page: Page, view: TrackRow): Span {
  const { current, doing, state } = view;
  if (state !== undefined && !isActive(state)) return span("");
  if (state === "needs_you" && view.waiting && view.waiting.kind !== "plan")
    return span(page.safe(view.waiting.text));
  if (current) return span(page.safe(current.todo.activeText ?? current.todo.text));
  return span(page.safe(doing ?? ""), page.tones.dim);
}

function doneCell(page: Page, view: View): Span {
  const { completed, total } = view.progress;
  return view.rows.length === 0 ? span("-", page.tones.dim) : span(`${completed}/${total}`);
}

/** The name of a track without a title: its current todo if the session has its own column. */
function nameOf(page: Page, view: TrackRow): string {
  if (view.id === undefined) return viewTitle(page, view);
  const row = view.current ?? view.next ?? view.rows.at(-1);
  return page.safe(row?.todo.text ?? "");
}

/** Short enough for the STATE column. */
const REQUESTS: Readonly<Record<WaitingKind, string>> = { ...REQUEST_LABELS, maybe: "waiting?" };

/** States that need the user's attention. */
function alarmCell({ marks, tones, options }: Page, view: TrackRow): Span | undefined {
  if (view.state === "needs_you" || view.planWaits)
    return span(`${marks.needsYou} ${REQUESTS[view.waiting?.kind ?? "plan"]}`, tones.you);
  if (view.state === "looping") {
    const isCritical = view.findings?.some(({ level }) => level === "critical");
    return span(`${marks.looping} looping`, isCritical ? tones.broken : tones.watch);
  }
  if (view.state !== "stalled") return undefined;
  const silence = formatShortDuration(options.now - (view.heardAt ?? options.now));
  return span(`${marks.stalled} stalled ${silence}`, tones.watch);
}

function stateCell(page: Page, view: TrackRow): Span {
  const { marks, tones } = page;
  const state = (text: string, sgr?: Sgr) => span(text, sgr);
  if (view.archived) return state("archived", tones.dim);
  const alarm = alarmCell(page, view);
  if (alarm) return alarm;
  if (view.heardAt !== undefined) return activityCell(page, view, view.heardAt);
  if (view.rows.length === 0) {
    return view.mode === "plan" ? state("planning", tones.dim) : state("no todos yet", tones.dim);
  }
  if (view.finished) return state("finished");
  const { current } = view;
  if (current && (view.state === undefined || isActive(view.state))) {
    const { elapsed } = current;
    return state(`${marks.bar.now} ${elapsed === undefined ? "working" : formatDuration(elapsed)}`);
  }
  if (view.rows.every(({ todo }) => todo.status === "cancelled"))
    return state("cancelled", tones.dim);
  if (!view.next && !current) return state(`${marks.todo.blocked} blocked`, tones.watch);
  const since = view.activeAt ?? view.rows.reduce((last, row) => Math.max(last, lastMoved(row)), 0);
  const idle = page.options.now - since;
  return state(idle >= 0 ? `idle ${formatShortDuration(idle)}` : "idle", tones.dim);
}

/** The state of an agent whose activity is known, whether or not it has a list. */
function activityCell(page: Page, view: TrackRow, heardAt: number): Span {
  const { marks, tones, options } = page;
  if (view.state === "working" && view.waiting?.kind === "maybe")
    return span(`${marks.bar.now} ${REQUESTS.maybe}`, tones.watch);
  if (view.state === "working") {
    const elapsed = view.current?.elapsed;
    return span(`${marks.bar.now} ${elapsed === undefined ? "working" : formatDuration(elapsed)}`);
  }
  if (view.failed) return span(`${marks.failed} failed`, tones.broken);
  if (view.finished) return span("finished");
  const silence = formatShortDuration(Math.max(0, options.now - heardAt));
  return span(`${view.state === "ended" ? "ended" : "idle"} ${silence}`, tones.dim);
}

function lastMoved({ todo }: Row): number {
  return Math.max(todo.createdAt, todo.startedAt ?? 0, todo.finishedAt ?? 0);
}
