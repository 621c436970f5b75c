import { counted } from "../../../core/text/count.ts";
import type { BoardRow } from "../../../core/views/board.ts";
import { barOf } from "../../text/draw/bar.ts";
import { type Line, lineCells, span, spread } from "../../text/draw/spans.ts";
import { padEnd, padStart, widest } from "../../text/draw/width.ts";
import { agentBarOf, isWorking, type Pages, pageFor } from "../pages/pages.ts";
import { durationLabel, stateOf, stateSpans } from "../row-state.ts";
import { countOf } from "./columns.ts";

/** `+2 subagents, 1 working` */
export function childCounts({ children }: BoardRow): string {
  const working = children.filter(isWorking).length;
  return `+${counted(children.length, "subagent")}${working > 0 ? `, ${working} working` : ""}`;
}

/** More subagents are counted. */
export const CHILDREN = 3;
const CHILD_BAR = 8;

/** Subagents, one line each; only a count if there are more than `max`. */
export function childLines(pages: Pages, row: BoardRow, max = CHILDREN): Line[] {
  const { children } = row;
  if (children.length === 0) return [];
  const { still } = pages;
  const { tones, marks, width } = still;
  if (children.length > max)
    return [[agentBarOf(still, row), span("  "), span(childCounts(row), tones.dim)]];
  const names = childNames(pages, row);
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

/** The cells of the names of subagents: as wide as needed, while their states fit. */
function childNames(pages: Pages, { children }: BoardRow): number {
  const { still } = pages;
  const names = widest(children.map(({ title }) => still.safe(title)));
  const details = widest(children.map((child) => stateOf(still, child).detail));
  const space = still.width - CHILD_CELLS - Math.min(details, Math.floor(still.width / 3));
  return Math.min(names, Math.max(MIN_NAME, space));
}

/** Cells of a subagent's line without its name and state. */
const CHILD_CELLS = 36;
const MIN_NAME = 14;
