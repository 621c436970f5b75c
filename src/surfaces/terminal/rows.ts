import { formatShortDuration } from "../../core/text/duration.ts";
import { type BoardRow, hasOpenPlan } from "../../core/views/board.ts";
import { agentLook } from "../text/agents.ts";
import { barOf } from "../text/draw/bar.ts";
import type { Page } from "../text/draw/page.ts";
import type { Sgr } from "../text/draw/paint.ts";
import { cutLine, GAP, type Line, lineCells, span, spread } from "../text/draw/spans.ts";
import { cells, padEnd, padStart } from "../text/draw/width.ts";
import { refusedLines } from "../text/list-notices.ts";
import { whereToAnswer } from "../text/requests.ts";
import { markedSpans } from "./find/marked.ts";
import { CHILDREN, childCounts, childLines } from "./overview/child-lines.ts";
import {
  agentAndProject,
  type Columns,
  columnsOf,
  costLabel,
  countOf,
  NO_TODOS,
  noTodosLabel,
} from "./overview/columns.ts";
import { compactState, isCompact } from "./overview/compact-row.ts";
import { rowTodos, todosShown } from "./overview/row-todos.ts";
import { agentBarOf, highlighted, isWorking, type Pages, pageFor, toneOf } from "./pages/pages.ts";
import { durationLabel, type RowState, stateOf, stateSpans } from "./row-state.ts";

/** Options of one row. */
export interface RowOptions {
  readonly selected: boolean;
  /** List the todos, too. */
  readonly todos?: boolean;
  /** Words of the filter, whose letters are marked. */
  readonly words?: readonly string[];
}

function titleLine(
  pages: Pages,
  row: BoardRow,
  columns: Columns,
  { selected, words = [] }: RowOptions,
  right = agentAndProject(pageFor(pages, row), row, columns.code, columns.right),
): Line {
  const page = pageFor(pages, row);
  const { marks, tones, width } = page;
  const hasTodos = row.view.rows.length > 0;
  const bar = hasTodos
    ? barOf(pages.still, row.view, columns.bar)
    : [span(noTodosLabel(columns), tones.dim)];
  const count = hasTodos ? padStart(countOf(row), columns.count) : "";
  const slack = columns.bar + 1 + columns.count - lineCells(bar) - count.length;
  const whole = page.safe(row.title);
  // A long title takes the space that the other columns of this row do not need.
  const missing = Math.max(0, cells(whole) - columns.title);
  const extra = Math.min(Math.max(0, slack - 1), missing);
  const more = Math.min(Math.max(0, columns.right - lineCells(right)), missing - extra);
  const space = columns.title + extra + more;
  const title = page.cut(whole, space);
  const tone = isCompact(row) ? undefined : tones.bold;
  const left: Line = [
    agentBarOf(page, row),
    span(selected ? marks.pointer : " ", tones.you),
    span(" "),
    ...markedSpans(title, words, tone, tones.match),
    span(" ".repeat(space - cells(title) + GAP)),
    ...bar,
    span(" ".repeat(Math.max(0, slack - extra))),
    span(count, tones.dim),
    ...(columns.cost > 0
      ? [span(`${" ".repeat(GAP)}${padStart(costLabel(page, row.cost?.sum), columns.cost)}`)]
      : []),
  ];
  return spread(left, right, width, marks.ellipsis);
}

/** A session on one line, with its progress and a short state. */
function compactLine(pages: Pages, row: BoardRow, columns: Columns, options: RowOptions): Line {
  const page = pageFor(pages, row);
  return titleLine(pages, row, columns, options, compactState(page, row, columns.right));
}

/** A session on one line in the results of the filter. */
export function resultLine(
  pages: Pages,
  row: BoardRow,
  columns: Columns,
  options: RowOptions,
): Line {
  const page = pageFor(pages, row);
  const { text, tone } = shortState(page, row);
  const label = page.cut(text, RESULT_STATE);
  const names = agentAndProject(page, row, true, columns.right);
  const gap = " ".repeat(RESULT_STATE - cells(label) + GAP + columns.right - lineCells(names));
  const right = [span(label, tone), span(gap), ...names];
  const line = titleLine(pages, row, columns, options, right);
  return options.selected ? selectedLine(pages, line) : line;
}

/** Cells of the state in the results of the filter. */
const RESULT_STATE = 9;

/** The columns of the results of the filter. */
export function resultColumns({ still }: Pages, rows: readonly BoardRow[]): Columns {
  const columns = columnsOf({ ...still, width: still.width - RESULT_STATE - GAP }, rows);
  if (columns.code) return columns;
  const codes = Math.max(0, ...rows.map((row) => lineCells(agentAndProject(still, row, true))));
  const right = Math.min(codes, columns.right);
  return { ...columns, code: true, right, title: columns.title + columns.right - right };
}

function stateLine(pages: Pages, row: BoardRow, columns: Columns): Line {
  const page = pageFor(pages, row);
  const { tones, marks, width } = page;
  const state = stateOf(page, row);
  const keys =
    hasOpenPlan(row) && row.hosted && columns.title > 20
      ? [
          span(" a ", tones.bold),
          span("approve ", tones.dim),
          span(" r ", tones.bold),
          span("reject", tones.dim),
        ]
      : [];
  const time = durationLabel(row, state);
  const lead = [agentBarOf(page, row), span("  ")];
  const end = [...keys, span(time ? `  ${time}` : "", tones.dim)];
  const available = width - lineCells([...lead, ...end]) - GAP;
  return spread([...lead, ...stateWithCommand(page, state, available)], end, width, marks.ellipsis);
}

/** The state and the running command. If both do not fit, the command keeps up to 40 % of the line. */
function stateWithCommand(page: Page, state: RowState, available: number): Line {
  const spans = stateSpans(page, state);
  if (state.command === undefined) return spans;
  const { ellipsis } = page.marks;
  const command = `$ ${state.command}`;
  const space = Math.max(available - lineCells(spans) - GAP, Math.floor(available * 0.4));
  const shown = page.cut(command, space);
  const left = cutLine(spans, available - cells(shown) - GAP, ellipsis);
  return [...left, span(" ".repeat(GAP)), span(shown, page.tones.dim)];
}

/** The warning below a row that the agent's last list write was refused. */
function refusedRow({ still: page }: Pages, row: BoardRow): Line[] {
  const { marks, width } = page;
  return refusedLines(page, row.track, "  ").map((line) =>
    spread([agentBarOf(page, row), ...line], [], width, marks.ellipsis),
  );
}

function asksElsewhere(row: BoardRow): boolean {
  return row.state === "needs_you" && !hasOpenPlan(row);
}

function showsNext(row: BoardRow): boolean {
  return isWorking(row) && row.findings.length === 0 && row.view.next !== undefined;
}

function nextLines(pages: Pages, row: BoardRow): Line[] {
  if (asksElsewhere(row)) return [whereLine(pages, row)];
  const { next } = row.view;
  if (!next || !showsNext(row)) return [];
  const page = pages.still;
  const text = page.safe(next.todo.text);
  const line = [
    agentBarOf(page, row),
    span("    "),
    span("Next: ", page.tones.dim),
    span(text, page.tones.dim),
  ];
  return [spread(line, [], page.width, page.marks.ellipsis)];
}

function whereLine({ still: page }: Pages, row: BoardRow): Line {
  const text = span(page.safe(whereToAnswer(row)), page.tones.dim);
  return spread([agentBarOf(page, row), span("    "), text], [], page.width, page.marks.ellipsis);
}

/** `+2 subagents, 1 working · next: Backfill keys`, if that saves a line. */
function mergedLine({ still: page }: Pages, row: BoardRow): Line {
  const { tones, marks, width } = page;
  const next = showsNext(row) ? row.view.next : undefined;
  const text = [
    childCounts(row),
    ...(next ? [`next: ${page.safe(next.todo.text)}`] : []),
    ...(asksElsewhere(row) ? [page.safe(whereToAnswer(row))] : []),
  ].join(` ${marks.separator} `);
  return spread(
    [agentBarOf(page, row), span("  "), span(text, tones.dim)],
    [],
    width,
    marks.ellipsis,
  );
}

/** Lines per row: all; the subagents and the next todo on one line; two, all of the selected row; two; one. */
export type Density = "full" | "merged" | "short" | "two" | "line";

/** The number of lines below the first of a row. Must agree with `rowLines`. */
interface Below {
  readonly state: boolean;
  readonly refused: boolean;
  readonly next: boolean;
  readonly merged: boolean;
  /** 0, one line for all, or one for each subagent. */
  readonly children: number;
  readonly todos: number;
}

function belowOf(row: BoardRow, density: Density, { selected, todos = false }: RowOptions): Below {
  const listed = todos ? todosShown(row) : 0;
  const isLine = density === "line";
  const below = { next: false, merged: false, children: 0, refused: false, todos: listed };
  if (isLine) return { ...below, state: selected };
  const refused = row.track.refused !== undefined;
  if (isCompact(row)) return { ...below, state: false, refused };
  const children = row.children.length > CHILDREN ? 1 : row.children.length;
  const next = asksElsewhere(row) || (showsNext(row) && listed === 0);
  if (density === "two" || (density === "short" && !selected))
    return { ...below, state: true, refused };
  const isMerged = density === "merged" && children > 0;
  if (isMerged) return { ...below, state: true, refused, merged: true };
  return { ...below, state: true, refused, next, children };
}

export function rowHeight(row: BoardRow, density: Density, options: RowOptions): number {
  const { state, refused, next, merged, children, todos } = belowOf(row, density, options);
  return 1 + [state, refused, next, merged].filter(Boolean).length + children + todos;
}

export function rowLines(
  pages: Pages,
  row: BoardRow,
  columns: Columns,
  density: Density,
  options: RowOptions,
): readonly Line[] {
  const { selected } = options;
  const { state, refused, next, merged, children, todos } = belowOf(row, density, options);
  const isLine = density === "line";
  const first = isLine ? oneLine : isCompact(row) ? compactLine : titleLine;
  const lines = [
    first(pages, row, columns, options),
    ...(state ? [isLine ? detailLine(pages, row) : stateLine(pages, row, columns)] : []),
    ...(refused ? refusedRow(pages, row) : []),
    ...(next ? nextLines(pages, row) : []),
    ...(merged ? [mergedLine(pages, row)] : []),
    ...(todos > 0 ? rowTodos(pages, row) : []),
    ...(children > 0 ? childLines(pages, row) : []),
  ];
  return selected ? lines.map((line) => selectedLine(pages, line)) : lines;
}

function selectedLine({ still }: Pages, line: Line): Line {
  const [agentBar, ...rest] = line;
  return agentBar
    ? [agentBar, ...highlighted(still, rest, still.width - cells(agentBar.text))]
    : line;
}

/** `◆ plan`, `↻ loop`, `⠹ 2m`. */
function shortState(page: Page, row: BoardRow): { readonly text: string; readonly tone?: Sgr } {
  const { tones } = page;
  const state = stateOf(page, row);
  const short = { looping: "loop", stalled: "" }[state.label] ?? state.label;
  const time =
    state.elapsedMs === undefined || short === "plan" ? "" : formatShortDuration(state.elapsedMs);
  const tone = state.tone === tones.pill ? tones.you : state.tone;
  const text = [state.mark, short || time].filter(Boolean).join(" ");
  return tone === undefined ? { text } : { text, tone };
}

function oneLine(
  pages: Pages,
  row: BoardRow,
  _columns: Columns,
  { selected, words = [] }: RowOptions,
): Line {
  const page = pageFor(pages, row);
  const { marks, tones, width } = page;
  const { text, tone } = shortState(page, row);
  const right: Line = [
    span(countOf(row), tones.dim),
    span(countOf(row) ? " " : ""),
    span(text, tone),
  ];
  const code = page.cut(page.safe(agentLook(row.track.agentType).code || "--"), 2);
  const title = page.safe(row.title);
  const left: Line = [
    agentBarOf(page, row),
    span(selected ? marks.pointer : " ", tones.you),
    span(`${padEnd(code, 2)} `, toneOf(page, row)),
    ...markedSpans(title, words, selected ? tones.bold : undefined, tones.match),
  ];
  return spread(left, right, width, marks.ellipsis);
}

function detailLine(pages: Pages, row: BoardRow): Line {
  const page = pageFor(pages, row);
  const { detail, detailTone } = stateOf(page, row);
  const line = [
    agentBarOf(page, row),
    span("    "),
    span(detail || NO_TODOS, detailTone ?? page.tones.dim),
  ];
  return spread(line, [], page.width, page.marks.ellipsis);
}
