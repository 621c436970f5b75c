import { evidenceStates, stateFacts } from "../../core/checks/evidence-state.ts";
import { onDisplay, type Row, type View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { barOf } from "./draw/bar.ts";
import { evidenceTone, markOf } from "./draw/marks.ts";
import { agentTone, type Page, pageOf, type TextOptions, viewTitle } from "./draw/page.ts";
import { GAP, type Line, lineCells, print, span, spread } from "./draw/spans.ts";
import { cells, padEnd, widest } from "./draw/width.ts";
import { hiddenLines, rowLimit, windowOf } from "./draw/window.ts";
import { explanationLines, refusedLines } from "./list-notices.ts";
import { chooseLabel, closedIds, metaLabels, metaTone } from "./meta.ts";

/** A list in as few lines as possible: one per todo, no blank lines. */
export function renderCompact(view: View, options: TextOptions, note = ""): string {
  const page = pageOf(options);
  const window = windowOf(options.all ? view : onDisplay(view), rowLimit(page));
  const closed = closedIds(view);
  const markCells = Math.max(
    page.marks.statusCells,
    widest(window.rows.map((row) => markOf(page.marks, row))),
  );
  const narrow = { ...page, width: contentWidth(page) };
  const lines: Line[] = [
    headerLine(page, view),
    ...explanationLines(narrow, view),
    ...hiddenLines(page, "above", window.before),
    ...window.rows.map((row) => todoLine(page, view, row, closed, markCells)),
    ...hiddenLines(page, "below", window.after),
    footerLine(page, view, note),
    ...refusedLines(narrow, view),
  ];
  const agentBar = span(`${page.marks.agentBar} `, agentTone(page, view));
  return print(
    lines.map((line) => [agentBar, ...line]),
    options.color,
  );
}

/** The width beside the agent's color bar. */
function contentWidth(page: Page): number {
  return page.width - cells(page.marks.agentBar) - 1;
}

function headerLine(page: Page, view: View): Line {
  const agent = page.safe(agentLook(view.agentType).name);
  const right = agent ? [span(agent, agentTone(page, view))] : [];
  const left = [span(viewTitle(page, view), page.tones.bold)];
  return spread(left, right, contentWidth(page), page.marks.ellipsis);
}

function todoLine(
  page: Page,
  view: View,
  row: Row,
  closed: ReadonlySet<string>,
  markCells: number,
): Line {
  const { marks, tones } = page;
  const { status } = row.todo;
  const mark = padEnd(markOf(marks, row), markCells + 1);
  const available = contentWidth(page) - cells(mark);
  const text = page.cut(page.safe(row.todo.text), available);
  const meta = chooseLabel(metaLabels(page, row, closed, available), cells(text), available);
  const isActive = status === "in_progress";
  const textTone = {
    pending: undefined,
    blocked: undefined,
    in_progress: tones.bold,
    completed: tones.dim,
    cancelled: tones.struck,
  }[status];
  const quiet = status === "blocked" ? tones.watch : tones.dim;
  const markTone = evidenceTone(tones, row) ?? quiet;
  return spread(
    [span(mark, isActive ? agentTone(page, view) : markTone), span(text, textTone)],
    meta ? [span(meta, metaTone(page, row))] : [],
    contentWidth(page),
    marks.ellipsis,
  );
}

function footerLine(page: Page, view: View, note: string): Line {
  const { marks, tones } = page;
  const { completed, total } = view.progress;
  const counts = evidenceStates(view.rows.map(({ todo }) => todo));
  const details = stateFacts({ ...counts, unverified: 0 })
    .map((fact) => ` ${marks.separator} ${fact}`)
    .join("");
  const count = total === 0 ? "all todos cancelled" : `${completed} of ${total}`;
  const labels = [span(count), span(details, tones.dim)];
  const bar = barOf(page, view, contentWidth(page) - GAP - lineCells(labels));
  const left = [...bar, span(" ".repeat(bar.length > 0 ? GAP : 0)), ...labels];
  const right = page.safe(note);
  const fits = lineCells(left) + GAP + cells(right) <= contentWidth(page);
  return spread(
    left,
    right && fits ? [span(right, tones.dim)] : [],
    contentWidth(page),
    marks.ellipsis,
  );
}
