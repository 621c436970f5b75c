import type { Group, Row, View } from "../../../core/views/view.ts";
import { markOf } from "./marks.ts";
import type { Page } from "./page.ts";
import { cutLine, type Line, lineCells, type Span, span } from "./spans.ts";
import { cells } from "./width.ts";
import { headingOf, hiddenLines, rowLimit, windowOf } from "./window.ts";

// Keeps the box of a short list wide enough to look like a box.
const MIN_CELLS = 46;

/** A box with the title in its top border and the progress in its last line. */
export function boxedLines(page: Page, view: View): readonly Line[] {
  const { marks, tones } = page;
  const { completed, total, percent } = view.progress;
  const window = windowOf(view, rowLimit(page));
  const content: Line[] = [
    ...hiddenLines(page, "above", window.before),
    ...window.groups.flatMap((group) => [
      ...headingLine(page, view, group),
      ...group.rows.map((row) => todoLine(page, row)),
    ]),
    ...hiddenLines(page, "below", window.after),
    [],
    [span(`Progress: ${completed}/${total} (${percent}%)`)],
  ];
  const title = page.safe(view.title ?? "") || "Tasks";
  const widest = content.reduce((most, line) => Math.max(most, lineCells(line)), cells(title) + 2);
  const inner = Math.min(page.width, Math.max(MIN_CELLS, widest + 4)) - 4;
  const [topLeft, topRight, bottomLeft, bottomRight] = marks.box.corners;
  const shownTitle = page.cut(title, inner - 2);
  const edge = (text: string): Span => span(text, tones.edge);
  const rest = marks.box.across.repeat(inner - cells(shownTitle) - 1);
  return [
    [edge(topLeft + marks.box.across), span(` ${shownTitle} `, tones.bold), edge(rest + topRight)],
    ...content.map((line) => {
      const shown = cutLine(line, inner, marks.ellipsis);
      return [
        edge(`${marks.box.down} `),
        ...shown,
        span(" ".repeat(inner - lineCells(shown))),
        edge(` ${marks.box.down}`),
      ];
    }),
    [edge(bottomLeft + marks.box.across.repeat(inner + 2) + bottomRight)],
  ];
}

function headingLine(page: Page, view: View, group: Group): Line[] {
  const heading = headingOf(page, view, group);
  return heading === undefined ? [] : [[span(heading, page.tones.bold)]];
}

function todoLine(page: Page, row: Row): Line {
  const { marks, tones } = page;
  const { todo } = row;
  switch (todo.status) {
    case "in_progress":
      return [span(`${marks.box.current} ${page.safe(todo.activeText || todo.text)}`, tones.bold)];
    case "completed":
      return [span(`${markOf(marks, row)} ${page.safe(todo.text)}`, tones.dim)];
    case "cancelled":
      return [
        span(`${marks.todo.cancelled} `, tones.dim),
        span(page.safe(todo.text), tones.struck),
      ];
    case "blocked":
      return [span(`${marks.todo.blocked} `, tones.watch), span(page.safe(todo.text))];
    case "pending":
      return [span(`${marks.todo.pending} ${page.safe(todo.text)}`)];
  }
}
