import { onDisplay, type Row, type View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { barOf } from "./draw/bar.ts";
import { markOf } from "./draw/marks.ts";
import { agentTone, type Page, pageOf, type TextOptions, viewTitle } from "./draw/page.ts";
import { GAP, type Line, lineCells, print, span, spread } from "./draw/spans.ts";
import { cells, padEnd } from "./draw/width.ts";
import { hiddenLines, rowLimit, windowOf } from "./draw/window.ts";
import { chooseWords, closedIds, metaWords } from "./meta.ts";
import { explanationLines, refusedLines } from "./remarks.ts";

/** A list in as few lines as can be: one for each todo, none of them empty. */
export function renderCompact(view: View, options: TextOptions, note = ""): string {
  const page = pageOf(options);
  const window = windowOf(options.all ? view : onDisplay(view), rowLimit(page));
  const closed = closedIds(view);
  const narrow = { ...page, width: roomOf(page) };
  const lines: Line[] = [
    headerLine(page, view),
    ...explanationLines(narrow, view),
    ...hiddenLines(page, "above", window.before),
    ...window.rows.map((row) => todoLine(page, view, row, closed)),
    ...hiddenLines(page, "below", window.after),
    footerLine(page, view, note),
    ...refusedLines(narrow, view),
  ];
  const blaze = span(`${page.marks.blaze} `, agentTone(page, view));
  return print(
    lines.map((line) => [blaze, ...line]),
    options.color,
  );
}

/** What the blaze in front of a line leaves. */
function roomOf(page: Page): number {
  return page.width - cells(page.marks.blaze) - 1;
}

function headerLine(page: Page, view: View): Line {
  const agent = page.safe(agentLook(view.agentType).name);
  const right = agent ? [span(agent, agentTone(page, view))] : [];
  const left = [span(viewTitle(page, view), page.tones.bold)];
  return spread(left, right, roomOf(page), page.marks.ellipsis);
}

function todoLine(page: Page, view: View, row: Row, closed: ReadonlySet<string>): Line {
  const { marks, tones } = page;
  const { status } = row.todo;
  const mark = padEnd(markOf(marks, row), marks.todoCells + 1);
  const room = roomOf(page) - cells(mark);
  const text = page.cut(page.safe(row.todo.text), room);
  const words = chooseWords(metaWords(page, row, closed, room), cells(text), room);
  const isActive = status === "in_progress";
  const textTone = {
    pending: undefined,
    blocked: undefined,
    in_progress: tones.bold,
    completed: tones.dim,
    cancelled: tones.struck,
  }[status];
  const quiet = status === "blocked" ? tones.watch : tones.dim;
  const markTone = row.proof === "verified" ? tones.verified : quiet;
  return spread(
    [span(mark, isActive ? agentTone(page, view) : markTone), span(text, textTone)],
    words ? [span(words, quiet)] : [],
    roomOf(page),
    marks.ellipsis,
  );
}

function footerLine(page: Page, view: View, note: string): Line {
  const { marks, tones } = page;
  const { completed, total, verified } = view.progress;
  const given = view.rows.filter((row) => row.proof === "given").length;
  const details = [
    ...(verified > 0 ? [` ${marks.separator} ${verified} verified`] : []),
    ...(given > 0 ? [` ${marks.separator} ${given} given`] : []),
  ].join("");
  const count = total === 0 ? "everything was dropped" : `${completed} of ${total}`;
  const words = [span(count), span(details, tones.dim)];
  const bar = barOf(page, view, roomOf(page) - GAP - lineCells(words));
  const left = [...bar, span(" ".repeat(bar.length > 0 ? GAP : 0)), ...words];
  const said = page.safe(note);
  const fits = lineCells(left) + GAP + cells(said) <= roomOf(page);
  return spread(left, said && fits ? [span(said, tones.dim)] : [], roomOf(page), marks.ellipsis);
}
