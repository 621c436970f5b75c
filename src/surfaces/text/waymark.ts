import { evidenceStates, finishedEvidence, stateFacts } from "../../core/checks/evidence-state.ts";
import { formatDuration } from "../../core/text/duration.ts";
import type { Group, Row, View } from "../../core/views/view.ts";
import { agentLook } from "./agents.ts";
import { barOf } from "./draw/bar.ts";
import { evidenceTone, markOf } from "./draw/marks.ts";
import { agentTone, type Page, projectOf, viewTitle } from "./draw/page.ts";
import { cutLine, GAP, type Line, lineCells, type Span, span, spread } from "./draw/spans.ts";
import { warningLines } from "./draw/warnings.ts";
import { cells, padStart, widest, wrap } from "./draw/width.ts";
import { headingOf, hiddenLines, rowLimit, windowOf } from "./draw/window.ts";
import { chooseLabel, closedIds, metaLabels, metaTone } from "./meta.ts";
import { noteLines } from "./notes.ts";

/** The default style. Ids come first because people type them. */
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
  const available = width - cells(title) - cells(marks.agentBar) - 1 - GAP;
  const enough = Math.max(available, Math.floor(width * 0.4));
  const right = [both, [agent]].find((line) => lineCells(line) <= enough) ?? [];
  const left = [span(marks.agentBar, agentTone(page, view)), span(" "), span(title, tones.bold)];
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
  const proven = evidenceTone(tones, row);
  if (proven !== undefined) return span(mark, proven);
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

// Bounds the text of the current todo, which is wrapped instead of cut.
const MAX_TEXT_LINES = 4;

export interface TodoLook {
  /** Shown before the mark. */
  readonly lead: Line;
  /** Ids of todos that no longer block others. */
  readonly closed: ReadonlySet<string>;
  /** Wrap the text instead of cutting it, as for the current todo. */
  readonly whole?: boolean;
}

/** A todo with its details; the current one is wrapped, with its notes. */
export function todoLines(page: Page, view: View, row: Row, look: TodoLook): Line[] {
  const { marks, width } = page;
  const { closed } = look;
  const mark = markSpan(page, view, row);
  const lead = [...look.lead, mark, span(" ".repeat(marks.todoCells - cells(mark.text) + 1))];
  const indent = lineCells(lead);
  const available = width - indent;
  const isCurrent = row === view.current || look.whole === true;
  const text = isCurrent ? wholeText(page, row) : page.cut(page.safe(row.todo.text), available);
  // A wrapped text can give up some of its width; any other would be cut.
  const wanted = Math.min(cells(text), isCurrent ? Math.floor(available * 0.55) : Number.MAX_VALUE);
  const label = chooseLabel(metaLabels(page, row, closed, available), wanted, available);
  const meta = label ? [span(label, metaTone(page, row))] : [];
  const textWidth = label ? available - cells(label) - GAP : available;
  const [first = "", ...rest] = isCurrent ? textLines(page, text, textWidth) : [text];
  const line = spread([...lead, span(first, textTone(page, row))], meta, width, marks.ellipsis);
  const below = (piece: Span): Line => [span(" ".repeat(indent)), piece];
  return [
    line,
    ...rest.map((more) => below(span(more, textTone(page, row)))),
    ...activeText(page, view, row, available).map(below),
    ...[
      ...warningLines(page, row.todo, available),
      ...(isCurrent ? noteLines(page, row.todo, available) : []),
    ].map((note) => [span(" ".repeat(indent)), ...note]),
  ];
}

function wholeText(page: Page, { todo }: Row): string {
  return page.options.all ? page.whole(todo.text) : page.safe(todo.text);
}

function textLines(page: Page, text: string, available: number): string[] {
  const lines = wrap(text, available);
  if (page.options.all || lines.length <= MAX_TEXT_LINES) return lines;
  const last = lines.slice(MAX_TEXT_LINES - 1).join(" ");
  return [...lines.slice(0, MAX_TEXT_LINES - 1), page.cut(last, available)];
}

function activeText(page: Page, view: View, { todo }: Row, available: number): Span[] {
  if (todo.status !== "in_progress" || !todo.activeText || todo.activeText === todo.text) return [];
  return [span(page.cut(page.safe(todo.activeText), available), agentTone(page, view))];
}

// Includes the indentation. Details are dropped before the bar becomes shorter.
const MIN_BAR = 12;

function footerLine(page: Page, view: View): Line {
  const ends = endLabels(view).map((label) => [span(label, page.tones.dim)]);
  return progressLine(page, view, [span("  ")], ends);
}

/** The bar, the count and the evidence, and at the right edge the first of `ends` that fits. */
export function progressLine(page: Page, view: View, lead: Line, ends: readonly Line[]): Line {
  const { tones, marks, width } = page;
  const { completed, total } = view.progress;
  if (total === 0)
    return cutLine([...lead, span("All todos cancelled", tones.dim)], width, marks.ellipsis);
  const details = provenFacts(view).map((facts) =>
    facts.map((fact) => ` ${marks.separator} ${fact}`),
  );
  const count = span(`${completed} of ${total}`, tones.bold);
  const labels = [...details.map((facts) => facts.join("")), details[0]?.at(-1) ?? ""]
    .map((detail) => [count, span(detail, tones.dim)])
    .find((line) => lineCells(line) + MIN_BAR <= width) ?? [count];
  const bar = barOf(page, view, width - lineCells(lead) - GAP - lineCells(labels));
  const left = [...lead, ...bar, span(" ".repeat(bar.length > 0 ? GAP : 0)), ...labels];
  const right = ends.find((line) => lineCells(left) + GAP + lineCells(line) <= width) ?? [];
  return spread(left, right, width, marks.ellipsis);
}

/** The counts of the evidence states, from the most to the least detail. Problems stay longest. */
function provenFacts({ rows, progress }: View): readonly (readonly string[])[] {
  const counts = evidenceStates(rows.map(({ todo }) => todo));
  const { reproduced = 0, verified = 0 } = counts;
  const isMixed = reproduced > 0 && verified > 0;
  const proven = isMixed
    ? [`${progress.verified} proven`]
    : stateFacts(counts, ["reproduced", "verified"]);
  const claimed = stateFacts(counts, ["reported", "unverified"]);
  const problems = stateFacts(counts, ["stale", "warned", "failed"]);
  const split = `${proven[0]} (${reproduced} reproduced, ${verified} verified)`;
  return [
    ...(isMixed ? [[split, ...claimed, ...problems]] : []),
    [...proven, ...claimed, ...problems],
    ...(problems.length > 0 ? [[...proven, ...problems]] : []),
    ...(isMixed || problems.length > 0 ? [proven] : []),
  ];
}

/** Labels for the end of the last line, the longest first. */
function endLabels(view: View): string[] {
  if (view.finished) {
    const evidence = finishedEvidence(view.rows.map(({ todo }) => todo));
    return evidence === undefined ? ["Finished"] : [`Finished, ${evidence}`, "Finished"];
  }
  if (view.mode === "plan") return ["plan mode, list is read-only", "plan mode"];
  const elapsed = view.current?.elapsed;
  return elapsed === undefined ? [] : [`${formatDuration(elapsed)} on this todo`];
}
