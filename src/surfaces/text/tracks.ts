import type { Finding } from "../../core/activity/detect.ts";
import { isActive, type SessionState } from "../../core/activity/session-state.ts";
import type { Waiting, WaitingKind } from "../../core/activity/waiting.ts";
import { duration } from "../../core/text/duration.ts";
import type { Row, View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { roughly } from "./draw/duration.ts";
import { agentTone, type Page, projectOf, viewTitle } from "./draw/page.ts";
import type { Sgr } from "./draw/paint.ts";
import { type Line, type Span, span, trimLine } from "./draw/spans.ts";
import { cells, widest } from "./draw/width.ts";

/** A track as a line of the table: its list, and what else is known of it. */
export interface TrackRow extends View {
  /** What the session can be called by. */
  readonly id?: string;
  readonly state?: SessionState;
  readonly findings?: readonly Finding[];
  /** The last turn ended with an error. */
  readonly failed?: boolean;
  /** What it waits for the user to decide, or may wait for. */
  readonly waiting?: Waiting;
  /** A plan waits; the same as a `waiting` of that kind. */
  readonly planWaits?: boolean;
  /** When it was last heard of. */
  readonly heardAt?: number;
  /** When the agent last did something. */
  readonly activeAt?: number;
  /** The call that it is in, in words. */
  readonly doing?: string;
}

interface Column {
  readonly head: string;
  readonly end?: "right";
  readonly cell: (view: TrackRow) => Span;
  /** Cells it may take at most. */
  readonly max: number;
}

const MIN_TRACK = 24;
const LEAST_TRACK = 6;
/** From these widths on there is room for what each is doing, and for what comes then. */
const NOW_WIDTH = 100;
const NEXT_WIDTH = 120;
/** The share of a wide table that the names of the tracks may take. */
const TRACK_SHARE = 0.28;
const NEXT_SHARE = 0.2;

interface Sized {
  readonly column: Column;
  readonly size: number;
}

/** One line for each track. */
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
    const room = span(" ".repeat(size - cells(shown.text)));
    const gap = span(" ".repeat(gapOf(column)));
    return column.end === "right" ? [room, shown, gap] : [shown, room, gap];
  });
  return trimLine(line);
}

const gapOf = (column: Column) => (column.end === "right" ? 2 : 1);

/** The columns that leave the names of the tracks enough room, the dearest kept longest. */
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
    head: "TRACK",
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
  const shortTrack = { ...track, max: Math.floor(page.width * TRACK_SHARE) };
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
  ].map((columns) => [agent(false), project, ...ids, ...columns, done, state]);
  /** With the cells that the column which gives way has to keep. */
  const sets: readonly (readonly [columns: readonly Column[], least: number])[] = [
    ...(isDoing ? wide : []).map((columns) => [columns, MIN_TRACK] as const),
    [[agent(false), project, ...ids, track, done, state], MIN_TRACK],
    [[agent(false), ...ids, track, done, state], MIN_TRACK],
    [[agent(true), ...ids, track, done, state], 8],
    [[...ids, track, done], Number.NEGATIVE_INFINITY],
  ];
  for (const [columns, least] of sets) {
    const flexible = columns.includes(now) ? now : track;
    const sized = columns.map((column) => {
      const all = widest([column.head, ...views.map((view) => column.cell(view).text)]);
      return { column, all, size: Math.min(column.max, all) };
    });
    const gaps = columns.slice(0, -1).reduce((sum, column) => sum + gapOf(column), 0);
    const natural = sized.reduce((sum, { size }) => sum + size, gaps);
    const wanted = sized.find(({ column }) => column === flexible)?.size ?? 0;
    const room = page.width - (natural - wanted);
    if (room < Math.min(wanted, least)) continue;
    // Where the name has no room left at all, the session is cut as well.
    const given = columns.includes(id) ? Math.max(0, Math.min(wanted, LEAST_TRACK) - room) : 0;
    return sized.map(({ column, all, size }) => {
      if (column === flexible) return { column, size: Math.max(1, Math.min(wanted, room + given)) };
      if (column === id) return { column, size: Math.max(1, size - given) };
      // What is left over goes to the names.
      if (column !== shortTrack) return { column, size };
      return { column, size: Math.min(all, size + Math.max(0, room - wanted)) };
    });
  }
  return [];
}

/** What it works on; where that is not known, the call that it is in. */
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

/** Where the session has a column of its own, a track without a title goes by its work. */
function nameOf(page: Page, view: TrackRow): string {
  if (view.id === undefined) return viewTitle(page, view);
  const row = view.current ?? view.next ?? view.rows.at(-1);
  return page.safe(row?.todo.text ?? "");
}

/** Short enough for the column. */
const REQUESTS: Readonly<Record<WaitingKind, string>> = {
  permission: "permission",
  question: "question",
  plan: "plan waits",
  maybe: "waiting?",
};

/** What a person has to know before anything else. */
function alarmCell({ marks, tones, options }: Page, view: TrackRow): Span | undefined {
  if (view.state === "needs_you" || view.planWaits)
    return span(`${marks.yours} ${REQUESTS[view.waiting?.kind ?? "plan"]}`, tones.you);
  if (view.state === "looping") {
    const isCritical = view.findings?.some(({ level }) => level === "critical");
    return span(`${marks.looping} looping`, isCritical ? tones.broken : tones.watch);
  }
  if (view.state !== "stalled") return undefined;
  const silence = roughly(options.now - (view.heardAt ?? options.now));
  return span(`${marks.stalled} stalled ${silence}`, tones.watch);
}

function stateCell(page: Page, view: TrackRow): Span {
  const { marks, tones } = page;
  const state = (text: string, sgr?: Sgr) => span(text, sgr);
  const alarm = alarmCell(page, view);
  if (alarm) return alarm;
  if (view.heardAt !== undefined) return heardCell(page, view, view.heardAt);
  if (view.rows.length === 0) {
    return view.mode === "plan" ? state("planning", tones.dim) : state("no list yet", tones.dim);
  }
  if (view.finished) return state("finished");
  const { current } = view;
  if (current && (view.state === undefined || isActive(view.state))) {
    const { elapsed } = current;
    return state(`${marks.bar.now} ${elapsed === undefined ? "working" : duration(elapsed)}`);
  }
  if (view.rows.every(({ todo }) => todo.status === "cancelled"))
    return state("dropped", tones.dim);
  if (!view.next && !current) return state(`${marks.todo.blocked} blocked`, tones.watch);
  const since = view.activeAt ?? view.rows.reduce((last, row) => Math.max(last, lastMoved(row)), 0);
  const idle = page.options.now - since;
  return state(idle >= 0 ? `idle ${roughly(idle)}` : "idle", tones.dim);
}

/** Of an agent that is watched it is known whether it works, list or not. */
function heardCell(page: Page, view: TrackRow, heardAt: number): Span {
  const { marks, tones, options } = page;
  if (view.state === "working" && view.waiting?.kind === "maybe")
    return span(`${marks.bar.now} ${REQUESTS.maybe}`, tones.watch);
  if (view.state === "working") {
    const elapsed = view.current?.elapsed;
    return span(`${marks.bar.now} ${elapsed === undefined ? "working" : duration(elapsed)}`);
  }
  if (view.failed) return span(`${marks.failed} failed`, tones.broken);
  if (view.finished) return span("finished");
  const silence = roughly(Math.max(0, options.now - heardAt));
  return span(`${view.state === "ended" ? "ended" : "idle"} ${silence}`, tones.dim);
}

function lastMoved({ todo }: Row): number {
  return Math.max(todo.createdAt, todo.startedAt ?? 0, todo.finishedAt ?? 0);
}
