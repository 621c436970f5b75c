import { type CostSum, costOfSum } from "../../core/cost/cost.ts";
import { formatCost } from "../../core/cost/format.ts";
import { formatShortDuration } from "../../core/text/duration.ts";
import { type BoardRow, hasOpenPlan } from "../../core/views/board.ts";
import { agentLook } from "../text/agents.ts";
import { barOf } from "../text/draw/bar.ts";
import type { Page } from "../text/draw/page.ts";
import { GAP, type Line, lineCells, span, spread } from "../text/draw/spans.ts";
import { cells, padEnd, padStart, widest } from "../text/draw/width.ts";
import { refusedLines } from "../text/list-notices.ts";
import { whereToAnswer } from "../text/requests.ts";
import { agentBarOf, highlighted, isWorking, type Pages, pageFor, toneOf } from "./pages/pages.ts";
import { durationLabel, stateOf, stateSpans } from "./row-state.ts";

/** Widths of the columns, shared by all rows. */
export interface Columns {
  readonly title: number;
  readonly bar: number;
  readonly count: number;
  /** 0 if no row has a cost. */
  readonly cost: number;
  readonly right: number;
  /** Show the agent's two-letter code instead of its name. */
  readonly code: boolean;
}

const LEAD = 3;
/** Narrower rows have no space for the cost. */
const MIN_COST_WIDTH = 70;
const NO_TODOS = "no todos yet";

function countOf({ view }: BoardRow): string {
  const { completed, total } = view.progress;
  return view.rows.length === 0 ? "" : `${completed}/${total}`;
}

/** `≈$3.84`; empty if the agent records no usage. */
export function costLabel({ options }: Page, sum: CostSum | undefined): string {
  return sum ? formatCost(costOfSum(sum), options.unicode) : "";
}

function agentAndProject(page: Page, row: BoardRow, code: boolean, available = page.width): Line {
  const look = agentLook(row.track.agentType);
  const agent = page.cut(page.safe(code ? look.code : look.name), available);
  const lead = agent ? `${agent} ` : "";
  const project = page.cut(page.safe(row.project), available - cells(lead));
  return [
    span(agent, toneOf(page, row)),
    span(agent && project ? ` ${project}` : project, page.tones.dim),
  ];
}

export function columnsOf(page: Page, rows: readonly BoardRow[]): Columns {
  const { width } = page;
  const maxTotal = Math.max(0, ...rows.map(({ view }) => view.progress.total));
  const count = Math.max(4, widest(rows.map(countOf)));
  const limit = width < 100 ? 12 : 24;
  const minBar = rows.some(({ view }) => view.rows.length === 0) ? NO_TODOS.length : 0;
  const bar = Math.max(minBar, Math.min(maxTotal, limit));
  const costs = widest(rows.map(({ cost: known }) => costLabel(page, known?.sum)));
  const cost = width < MIN_COST_WIDTH ? 0 : costs;
  const fixed = LEAD + GAP + bar + 1 + count + (cost > 0 ? GAP + cost : 0) + GAP;
  const limitRight = Math.floor(width * 0.32);
  const wanted = (code: boolean) =>
    Math.max(0, ...rows.map((row) => lineCells(agentAndProject(page, row, code))));
  // A cost leaves less space for the title.
  const minTitle = cost > 0 ? 30 : 24;
  const code = wanted(false) > limitRight || width - fixed - wanted(false) < minTitle;
  const right = Math.min(wanted(code), limitRight);
  return { title: Math.max(8, width - fixed - right), bar, count, cost, right, code };
}

function titleLine(pages: Pages, row: BoardRow, columns: Columns, selected: boolean): Line {
  const page = pageFor(pages, row);
  const { marks, tones, width } = page;
  const title = padEnd(page.cut(page.safe(row.title), columns.title), columns.title);
  const bar =
    row.view.rows.length === 0
      ? [span(NO_TODOS, tones.dim)]
      : barOf(pages.still, row.view, columns.bar);
  const gap = span(" ".repeat(Math.max(0, columns.bar + 1 - lineCells(bar))));
  const left: Line = [
    agentBarOf(page, row),
    span(selected ? marks.pointer : " ", tones.you),
    span(" "),
    span(title, row.group === "finished" || row.group === "idle" ? undefined : tones.bold),
    span(" ".repeat(GAP)),
    ...bar,
    gap,
    span(padStart(countOf(row), columns.count), tones.dim),
    ...(columns.cost > 0
      ? [span(`${" ".repeat(GAP)}${padStart(costLabel(page, row.cost?.sum), columns.cost)}`)]
      : []),
  ];
  return spread(
    left,
    agentAndProject(page, row, columns.code, columns.right),
    width,
    marks.ellipsis,
  );
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
  return spread([...lead, ...stateSpans(page, state)], end, width, marks.ellipsis);
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

const CHILDREN = 3;
const CHILD_BAR = 8;

/** Subagents, one line each; only a count if there are more than `max`. */
export function childLines(pages: Pages, row: BoardRow, max = CHILDREN): Line[] {
  const { children } = row;
  if (children.length === 0) return [];
  const { still } = pages;
  const { tones, marks, width } = still;
  if (children.length > max) {
    const working = children.filter(isWorking).length;
    const counts = `+${children.length} subagents${working > 0 ? `, ${working} working` : ""}`;
    return [[agentBarOf(still, row), span("  "), span(counts, tones.dim)]];
  }
  const names = Math.min(14, widest(children.map(({ title }) => still.safe(title))));
  return children.map((child, index) => {
    const page = pageFor(pages, child);
    const state = stateOf(page, child);
    const stem = (index === children.length - 1 ? marks.tree.last : marks.tree.branch).slice(0, 1);
    const time = padStart(durationLabel(child, state), 6);
    const bar = barOf(still, child.view, CHILD_BAR);
    const right: Line = [
      ...(width < 60 ? [] : [...bar, span(" ".repeat(CHILD_BAR - lineCells(bar)))]),
      span(` ${padStart(countOf(child), 4)}`, tones.dim),
      span(` ${time}`, tones.dim),
    ];
    const detail = child.view.finished ? "finished" : state.detail;
    const left: Line = [
      agentBarOf(page, row),
      span(`  ${stem} `, tones.edge),
      span(`${padEnd(page.cut(page.safe(child.title), names), names)} `),
      ...stateSpans(page, {
        ...state,
        detail,
        label: "",
        mark: state.mark || marks.todo.pending,
      }),
    ];
    return spread(left, right, width, marks.ellipsis);
  });
}

/** Lines per row: all, two, or one. */
export type Density = "full" | "short" | "line";

export function rowHeight(row: BoardRow, density: Density, selected: boolean): number {
  if (density === "line") return selected ? 2 : 1;
  const refused = row.track.refused ? 1 : 0;
  if (density === "short" && !selected) return 2 + refused;
  const { children } = row;
  const next = asksElsewhere(row) || showsNext(row) ? 1 : 0;
  const below = children.length > CHILDREN ? 1 : children.length;
  return 2 + refused + next + below;
}

export function rowLines(
  pages: Pages,
  row: BoardRow,
  columns: Columns,
  density: Density,
  selected: boolean,
): readonly Line[] {
  const lines =
    density === "line"
      ? [oneLine(pages, row, selected), ...(selected ? [detailLine(pages, row)] : [])]
      : [
          titleLine(pages, row, columns, selected),
          stateLine(pages, row, columns),
          ...refusedRow(pages, row),
          ...(density === "full" || selected
            ? [...nextLines(pages, row), ...childLines(pages, row)]
            : []),
        ];
  const { still } = pages;
  if (!selected) return lines;
  return lines.map((line) => {
    const [agentBar, ...rest] = line;
    return agentBar
      ? [agentBar, ...highlighted(still, rest, still.width - cells(agentBar.text))]
      : line;
  });
}

function oneLine(pages: Pages, row: BoardRow, selected: boolean): Line {
  const page = pageFor(pages, row);
  const { marks, tones, width } = page;
  const state = stateOf(page, row);
  const short = { looping: "loop", stalled: "" }[state.label] ?? state.label;
  const time =
    state.elapsedMs === undefined || short === "plan" ? "" : formatShortDuration(state.elapsedMs);
  const label = [state.mark, short || time].filter(Boolean).join(" ");
  const tone = state.tone === tones.pill ? tones.you : state.tone;
  const right: Line = [
    span(countOf(row), tones.dim),
    span(countOf(row) ? " " : ""),
    span(label, tone),
  ];
  const left: Line = [
    agentBarOf(page, row),
    span(selected ? marks.pointer : " ", tones.you),
    span(
      `${padEnd(page.cut(page.safe(agentLook(row.track.agentType).code || "--"), 2), 2)} `,
      toneOf(page, row),
    ),
    span(page.safe(row.title), selected ? tones.bold : undefined),
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
