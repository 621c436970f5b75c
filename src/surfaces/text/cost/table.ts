import type { CostBreakdown, CostRow } from "../../../core/cost/breakdown.ts";
import { type CostSum, costOfSum } from "../../../core/cost/cost.ts";
import { formatCost, formatTokens } from "../../../core/cost/format.ts";
import { agentLook } from "../agents.ts";
import { type Page, pageOf, type TextOptions } from "../draw/page.ts";
import type { Sgr } from "../draw/paint.ts";
import { type Line, print, span, trimLine } from "../draw/spans.ts";
import { cells, padEnd, padStart, widest } from "../draw/width.ts";

/** Names that the table shows for sessions. */
export interface CostNames {
  /** The shortest unique id of a session. */
  readonly id: (session: string) => string;
  /** Lines above the todos of a session, if todos of several sessions are listed. */
  readonly heading?: (session: string) => string;
}

interface Column {
  readonly head: string;
  readonly cell: (sum: CostSum) => string;
}

interface Entry {
  readonly name: string;
  readonly sum: CostSum;
  readonly tone?: Sgr;
  /** Printed above. */
  readonly heading?: string;
}

const INDENT = "  ";
const GAP = "  ";
const MIN_NAME = 20;
/** The columns that a narrow table leaves out, in this order. */
const LEAST_FIRST = ["CACHE", "INPUT", "OUTPUT"];

/** Renders what each todo, session, agent, project or day cost. */
export function renderCosts(
  breakdown: CostBreakdown,
  names: CostNames,
  options: TextOptions,
): string {
  const page = pageOf(options);
  const { by, rows, unattributed, total } = breakdown;
  const name = namer(page, breakdown, names);
  const entries: Entry[] = rows.map((row, index) => ({
    name: name(row),
    sum: row.sum,
    ...headingOf(row, rows[index - 1], names),
  }));
  const blank = by === "todo" ? `${" ".repeat(idCells(rows))} ` : "";
  if (tokensOf(unattributed) > 0 || unattributed.usage.requests > 0)
    entries.push({
      name: `${blank}unattributed`,
      sum: unattributed,
      tone: page.tones.dim,
      ...(names.heading && { heading: "" }),
    });
  entries.push({ name: "total", sum: total, tone: page.tones.bold });
  return print(tableLines(page, by.toUpperCase(), entries), options.color);
}

function headingOf(row: CostRow, before: CostRow | undefined, { heading }: CostNames) {
  return heading && row.session !== undefined && row.session !== before?.session
    ? { heading: heading(row.session) }
    : {};
}

function tableLines(page: Page, title: string, entries: readonly Entry[]): readonly Line[] {
  const { tones } = page;
  const all: readonly Column[] = [
    { head: "INPUT", cell: ({ usage }) => formatTokens(usage.input) },
    { head: "OUTPUT", cell: ({ usage }) => formatTokens(usage.output) },
    { head: "CACHE", cell: ({ usage }) => formatTokens(usage.cacheRead + usage.cacheWrite) },
    { head: "COST", cell: (sum) => formatCost(costOfSum(sum), page.options.unicode) },
  ];
  const sized = all.map((column) => ({
    ...column,
    size: Math.max(6, widest([column.head, ...entries.map(({ sum }) => column.cell(sum))])),
  }));
  let columns = sized;
  const available = () =>
    page.width - INDENT.length - columns.reduce((sum, { size }) => sum + size + GAP.length, 0);
  for (const head of LEAST_FIRST)
    if (available() < MIN_NAME) columns = columns.filter((column) => column.head !== head);
  const nameSize = Math.max(1, available());
  const line = (name: string, cellOf: (column: (typeof sized)[number]) => string, tone?: Sgr) =>
    trimLine([
      span(`${INDENT}${padEnd(page.cut(name, nameSize), nameSize)}`, tone),
      ...columns.map((column) => span(`${GAP}${padStart(cellOf(column), column.size)}`, tone)),
    ]);
  return [
    line(title, (column) => column.head, tones.dim),
    ...entries.flatMap(({ name, sum, tone, heading }) => [
      ...(heading === undefined ? [] : [headingLine(page, heading)]),
      line(name, (column) => column.cell(sum), tone),
    ]),
  ];
}

function headingLine(page: Page, heading: string): Line {
  return heading === ""
    ? []
    : [span(page.cut(`${INDENT}${page.safe(heading)}`, page.width), page.tones.bold)];
}

function tokensOf({ priced, unpriced }: CostSum): number {
  return priced + unpriced;
}

function idCells(rows: readonly CostRow[]): number {
  return Math.max(2, widest(rows.map(({ todo = "" }) => todo)));
}

/** Names the rows. */
function namer(
  page: Page,
  { by, rows }: CostBreakdown,
  { id }: CostNames,
): (row: CostRow) => string {
  switch (by) {
    case "todo": {
      const size = idCells(rows);
      return ({ todo = "", text = "" }) => `${padStart(page.safe(todo), size)} ${page.safe(text)}`;
    }
    case "session": {
      const idOf = ({ session = "" }: CostRow) => page.cut(page.safe(id(session)), 20);
      const size = widest(rows.map(idOf));
      return (row) => `${padEnd(idOf(row), size)} ${page.safe(row.text ?? "")}`;
    }
    case "agent":
      return ({ agentType }) => page.safe(agentLook(agentType).name);
    case "project": {
      const counts = new Map<string, number>();
      for (const { project = "" } of rows)
        counts.set(lastPart(project), (counts.get(lastPart(project)) ?? 0) + 1);
      // Directories with the same name are shown with their path.
      return ({ project = "" }) =>
        page.safe((counts.get(lastPart(project)) ?? 0) > 1 ? project : lastPart(project));
    }
    case "day":
      return ({ day = "" }) => day;
  }
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}

/** Facts joined on one line: title, agent, models and times. */
export function costHeading(facts: readonly (string | undefined)[], options: TextOptions): string {
  const page = pageOf(options);
  const shown = facts.filter((fact) => fact !== undefined && fact !== "");
  const line = shown.map((fact) => page.safe(fact ?? "")).join(` ${page.marks.separator} `);
  return cells(line) <= page.width ? line : page.cut(line, page.width);
}
