import { type CostSum, costOfSum } from "../../../core/cost/cost.ts";
import { formatCost } from "../../../core/cost/format.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { agentLook } from "../../text/agents.ts";
import type { Page } from "../../text/draw/page.ts";
import { GAP, type Line, lineCells, span } from "../../text/draw/spans.ts";
import { cells, widest } from "../../text/draw/width.ts";
import { toneOf } from "../pages/pages.ts";

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

/** Cells of the agent's bar, the pointer and a space. */
export const LEAD = 3;
/** Narrower rows have no space for the cost. */
const MIN_COST_WIDTH = 70;
export const NO_TODOS = "no todos yet";
const NO_TODOS_SHORT = "no todos";
/** Cells of the shortest bar. */
const MIN_BAR = 6;
/** Wide enough for `cc 2 open 11m`. */
const MIN_STATE = 14;

export function countOf({ view }: BoardRow): string {
  const { completed, total } = view.progress;
  return view.rows.length === 0 ? "" : `${completed}/${total}`;
}

/** The text in place of the bar of a session without todos. */
export function noTodosLabel({ bar }: Pick<Columns, "bar">): string {
  return bar >= NO_TODOS.length ? NO_TODOS : NO_TODOS_SHORT;
}

/** `≈$3.84`; empty if the agent records no usage. */
export function costLabel({ options }: Page, sum: CostSum | undefined): string {
  return sum ? formatCost(costOfSum(sum), options.unicode) : "";
}

export function agentAndProject(
  page: Page,
  row: BoardRow,
  code: boolean,
  available = page.width,
): Line {
  const look = agentLook(row.track.agentType);
  const agent = page.cut(page.safe(code ? look.code : look.name), available);
  const lead = agent ? `${agent} ` : "";
  const project = page.cut(page.safe(row.project), available - cells(lead));
  return [
    span(agent, toneOf(page, row)),
    span(agent && project ? ` ${project}` : project, page.tones.dim),
  ];
}

/** The first of several column layouts in which no title is cut; the last has the most space for titles. */
export function columnsOf(page: Page, rows: readonly BoardRow[]): Columns {
  const { width } = page;
  const titles = widest(rows.map(({ title }) => page.safe(title)));
  const namesOf = (code: boolean) =>
    Math.max(0, ...rows.map((row) => lineCells(agentAndProject(page, row, code))));
  const [full, codes] = [namesOf(false), namesOf(true)];
  const hasCompact = rows.some(({ group }) => group === "idle" || group === "finished");
  const maxTotal = Math.max(0, ...rows.map(({ view }) => view.progress.total));
  const hasNone = rows.some(({ view }) => view.rows.length === 0);
  const count = Math.max(4, widest(rows.map(countOf)));
  const costs = widest(rows.map(({ cost: known }) => costLabel(page, known?.sum)));
  const cost = width < MIN_COST_WIDTH ? 0 : costs;
  const layout = (code: boolean, maxBar: number, label: string): Columns => {
    const bar = Math.max(hasNone ? label.length : 0, Math.min(maxTotal, maxBar));
    const fixed = LEAD + GAP + bar + 1 + count + (cost > 0 ? GAP + cost : 0) + GAP;
    const names = code ? codes : full;
    // The states of compact rows follow the names while no title is cut for that.
    const wanted = hasCompact ? Math.max(names, Math.min(codes, names) + MIN_STATE) : names;
    const rest = width - fixed - titles;
    const limit = Math.max(Math.floor(width * 0.32), rest);
    const right = Math.min(Math.max(names, Math.min(wanted, rest)), limit);
    return { title: Math.max(8, width - fixed - right), bar, count, cost, right, code };
  };
  const limit = width < 100 ? 12 : 24;
  const layouts = [
    layout(false, limit, NO_TODOS),
    layout(true, limit, NO_TODOS),
    layout(true, Math.min(limit, 2 * MIN_BAR), NO_TODOS_SHORT),
    layout(true, MIN_BAR, NO_TODOS_SHORT),
  ] as const;
  const isWhole = ({ title, right, code }: Columns) =>
    title >= titles && right >= (code ? 0 : full);
  return layouts.find(isWhole) ?? layouts[3];
}
