import type { Group, Row, View } from "../../../core/views/view.ts";
import { noteLines } from "../notes.ts";
import { evidenceTone, markOf } from "./marks.ts";
import { agentTone, type Page, viewTitle } from "./page.ts";
import { type Line, lineCells, type Span, span } from "./spans.ts";
import { cells } from "./width.ts";
import { hiddenLines, rowLimit, type Window, windowOf } from "./window.ts";

const PREVIEW_ROWS = 8;

/** A node of the tree. `lines` draws it within the width that its indentation leaves. */
interface Node {
  readonly lines: (available: number) => readonly Line[];
  readonly children: readonly Node[];
}

/** Phases as branches, note counts as superscripts, and the notes of the current todo. */
export function treeLines(page: Page, view: View): readonly Line[] {
  const { completed, total } = view.progress;
  const count = ` ${completed}/${total}`;
  const title = page.cut(viewTitle(page, view), page.width - cells(count));
  return [
    [span(title, page.tones.bold), span(count, page.tones.dim)],
    ...branches(page, nodesOf(page, view, windowOf(view, rowLimit(page, PREVIEW_ROWS))), []),
  ];
}

function leaf(lines: readonly Line[]): Node[] {
  return lines.length > 0 ? [{ lines: () => lines, children: [] }] : [];
}

function nodesOf(page: Page, view: View, window: Window): Node[] {
  return [
    ...leaf(hiddenLines(page, "above", window.before)),
    ...window.groups.flatMap((group) => groupNodes(page, view, group)),
    ...leaf(hiddenLines(page, "below", window.after)),
  ];
}

function groupNodes(page: Page, view: View, group: Group): Node[] {
  const rows = group.rows.map(
    (row): Node => ({ lines: (available) => todoLines(page, view, row, available), children: [] }),
  );
  const { phase } = group;
  if (phase === undefined) return rows;
  const count = ` ${group.completed}/${group.total}`;
  const heading = (available: number): Line => [
    span(page.cut(page.safe(phase), available - cells(count)), page.tones.bold),
    span(count, page.tones.dim),
  ];
  return [{ lines: (available) => [heading(available)], children: rows }];
}

function branches(page: Page, nodes: readonly Node[], stem: readonly Span[]): Line[] {
  const { tree } = page.marks;
  return nodes.flatMap((node, index) => {
    const isLast = index === nodes.length - 1;
    const below = [
      ...stem,
      isLast ? span(" ".repeat(cells(tree.stem))) : span(tree.stem, page.tones.edge),
    ];
    const [first = [], ...rest] = node.lines(page.width - lineCells(below));
    return [
      [...stem, span(isLast ? tree.last : tree.branch, page.tones.edge), ...first],
      ...rest.map((line) => [...below, ...line]),
      ...branches(page, node.children, below),
    ];
  });
}

function todoLines(page: Page, view: View, row: Row, available: number): Line[] {
  const { marks, tones } = page;
  const { todo } = row;
  const lead = `${markOf(marks, row)} `;
  const notes = todo.notes?.length ? marks.noteCount(todo.notes.length) : "";
  const text = page.cut(page.safe(todo.text), available - cells(lead) - cells(notes));
  const looks = {
    pending: [tones.dim, undefined],
    in_progress: [agentTone(page, view), tones.bold],
    completed: [tones.dim, tones.dim],
    cancelled: [tones.dim, tones.struck],
    blocked: [tones.watch, undefined],
  } as const;
  const [quiet, textTone] = looks[todo.status];
  const markTone = evidenceTone(tones, row) ?? quiet;
  const line = [span(lead, markTone), span(text, textTone), span(notes, tones.dim)];
  if (row !== view.current) return [line];
  const indent = span(" ".repeat(cells(lead)));
  return [line, ...noteLines(page, todo, available - cells(lead)).map((note) => [indent, ...note])];
}
