import { duration } from "../../core/text/duration.ts";
import type { Group, Row, View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { barOf } from "./draw/bar.ts";
import { markOf } from "./draw/marks.ts";
import { agentTone, type Page, projectOf, viewTitle } from "./draw/page.ts";
import { cutLine, GAP, type Line, lineCells, type Span, span, spread } from "./draw/spans.ts";
import { cells, padStart, widest, wrap } from "./draw/width.ts";
import { headingOf, hiddenLines, rowLimit, windowOf } from "./draw/window.ts";
import { chooseWords, closedIds, metaWords } from "./meta.ts";
import { noteLines } from "./notes.ts";

/** The house style: one line for each fact, ids in front because people type them. */
export function waymarkLines(page: Page, view: View): readonly Line[] {
  const window = windowOf(view, rowLimit(page));
  const ids = widest(window.rows.map((row) => page.safe(row.todo.id)));
  const idCells = Math.min(ids, Math.floor(page.width / 4));
  const closed = closedIds(view);
  const indent = span(" ".repeat(idCells + 3));
  const leadOf = ({ todo }: Row): Line => [
    span("  "),
    span(padStart(page.cut(page.safe(todo.id), idCells), idCells), page.tones.dim),
    span(" "),
  ];
  return [
    headerLine(page, view),
    ...hiddenLines(page, "above", window.before).map((line) => [indent, ...line]),
    ...window.groups.flatMap((group) => [
      ...phaseLine(page, view, group),
      ...group.rows.flatMap((row) => todoLines(page, view, row, { lead: leadOf(row), closed })),
    ]),
    ...hiddenLines(page, "below", window.after).map((line) => [indent, ...line]),
    [],
    footerLine(page, view),
  ];
}

function headerLine(page: Page, view: View): Line {
  const { tones, marks, width } = page;
  const title = viewTitle(page, view);
  const agent = span(page.safe(agentLook(view.agentType).name), agentTone(page, view));
  const project = span(projectOf(page, view), tones.dim);
  const both = agent.text && project.text ? [agent, span(" "), project] : [agent, project];
  const room = width - cells(title) - cells(marks.blaze) - 1 - GAP;
  const enough = Math.max(room, Math.floor(width * 0.4));
  const right = [both, [agent]].find((line) => lineCells(line) <= enough) ?? [];
  const left = [span(marks.blaze, agentTone(page, view)), span(" "), span(title, tones.bold)];
  return spread(left, right, width, marks.ellipsis);
}

export function phaseLine(page: Page, view: View, group: Group): Line[] {
  const heading = headingOf(page, view, group);
  if (heading === undefined) return [];
  const count = ` ${group.completed}/${group.total}`;
  const name = page.cut(heading, page.width - 2 - cells(count));
  return [[span("  "), span(name, page.tones.bold), span(count, page.tones.dim)]];
}

function markSpan(page: Page, view: View, row: Row): Span {
  const { tones, marks } = page;
  const { todo } = row;
  const mark = markOf(marks, row);
  if (row.proof === "verified") return span(mark, tones.verified);
  if (todo.status === "in_progress") return span(mark, agentTone(page, view));
  return span(mark, todo.status === "blocked" ? tones.watch : tones.dim);
}

function textTone(page: Page, { todo }: Row) {
  switch (todo.status) {
    case "in_progress":
      return page.tones.bold;
    case "completed":
      return page.tones.dim;
    case "cancelled":
      return page.tones.struck;
    case "pending":
    case "blocked":
      return undefined;
  }
}

// The text of the current todo is shown whole, but a text without end must not push the rest away.
const MAX_TEXT_LINES = 4;

export interface TodoLook {
  /** What stands in front of the mark. */
  readonly lead: Line;
  /** Todos that nothing waits for any more. */
  readonly closed: ReadonlySet<string>;
  /** Shown whole, as the current one is. */
  readonly whole?: boolean;
}

/** A todo with what is known of it; the current one whole, with its notes. */
export function todoLines(page: Page, view: View, row: Row, look: TodoLook): Line[] {
  const { marks, tones, width } = page;
  const { closed } = look;
  const mark = markSpan(page, view, row);
  const lead = [...look.lead, mark, span(" ".repeat(marks.todoCells - cells(mark.text) + 1))];
  const indent = lineCells(lead);
  const room = width - indent;
  const isCurrent = row === view.current || look.whole === true;
  const text = isCurrent ? wholeText(page, row) : page.cut(page.safe(row.todo.text), room);
  // A text that goes on in the next line gives up some of its room, any other would be cut.
  const wanted = Math.min(cells(text), isCurrent ? Math.floor(room * 0.55) : Number.MAX_VALUE);
  const words = chooseWords(metaWords(page, row, closed, room), wanted, room);
  const meta = words ? [span(words, row.todo.status === "blocked" ? tones.watch : tones.dim)] : [];
  const textRoom = words ? room - cells(words) - GAP : room;
  const [first = "", ...rest] = isCurrent ? textLines(page, text, textRoom) : [text];
  const line = spread([...lead, span(first, textTone(page, row))], meta, width, marks.ellipsis);
  const below = (piece: Span): Line => [span(" ".repeat(indent)), piece];
  return [
    line,
    ...rest.map((more) => below(span(more, textTone(page, row)))),
    ...activeText(page, view, row, room).map(below),
    ...(isCurrent ? noteLines(page, row.todo, room) : []).map((note) => [
      span(" ".repeat(indent)),
      ...note,
    ]),
  ];
}

function wholeText(page: Page, { todo }: Row): string {
  return page.options.all ? page.whole(todo.text) : page.safe(todo.text);
}

function textLines(page: Page, text: string, room: number): string[] {
  const lines = wrap(text, room);
  if (page.options.all || lines.length <= MAX_TEXT_LINES) return lines;
  const last = lines.slice(MAX_TEXT_LINES - 1).join(" ");
  return [...lines.slice(0, MAX_TEXT_LINES - 1), page.cut(last, room)];
}

function activeText(page: Page, view: View, { todo }: Row, room: number): Span[] {
  if (todo.status !== "in_progress" || !todo.activeText || todo.activeText === todo.text) return [];
  return [span(page.cut(page.safe(todo.activeText), room), agentTone(page, view))];
}

// With the indentation. Words give way before the bar becomes too short to be one.
const MIN_BAR = 12;

function footerLine(page: Page, view: View): Line {
  const ends = endings(view).map((word) => [span(word, page.tones.dim)]);
  return progressLine(page, view, [span("  ")], ends);
}

/** The bar, the count and what it is made of; at the end of the line the first of `ends` that fits. */
export function progressLine(page: Page, view: View, lead: Line, ends: readonly Line[]): Line {
  const { tones, marks, width } = page;
  const { completed, total } = view.progress;
  if (total === 0)
    return cutLine([...lead, span("Everything was dropped", tones.dim)], width, marks.ellipsis);
  const given = view.rows.filter((row) => row.proof === "given").length;
  const claimed = view.rows.filter((row) => row.proof === "claimed").length;
  const dot = ` ${marks.separator} `;
  const { verified } = view.progress;
  const details = [
    ...(verified > 0 ? [`${dot}${verified} verified`] : []),
    ...(given > 0 ? [`${dot}${given} given`] : []),
    ...(claimed > 0 ? [`${dot}${claimed} only claimed`] : []),
  ];
  const count = span(`${completed} of ${total}`, tones.bold);
  const words = [details.join(""), details.at(-1) ?? ""]
    .map((detail) => [count, span(detail, tones.dim)])
    .find((line) => lineCells(line) + MIN_BAR <= width) ?? [count];
  const bar = barOf(page, view, width - lineCells(lead) - GAP - lineCells(words));
  const left = [...lead, ...bar, span(" ".repeat(bar.length > 0 ? GAP : 0)), ...words];
  const right = ends.find((line) => lineCells(left) + GAP + lineCells(line) <= width) ?? [];
  return spread(left, right, width, marks.ellipsis);
}

/** How the list stands, for the end of the last line; the longer words first. */
function endings(view: View): string[] {
  const { verified, completed } = view.progress;
  if (view.finished) {
    if (verified === 0) return ["Finished, nothing verified", "Finished"];
    return verified === completed ? ["Finished, all verified", "Finished"] : ["Finished"];
  }
  if (view.mode === "plan") return ["in plan mode, the list is read-only", "plan mode"];
  const elapsed = view.current?.elapsed;
  return elapsed === undefined ? [] : [`${duration(elapsed)} on this one`];
}
