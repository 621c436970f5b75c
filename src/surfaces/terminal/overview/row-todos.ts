import type { BoardRow } from "../../../core/views/board.ts";
import type { Row } from "../../../core/views/view.ts";
import { evidenceTone, markOf } from "../../text/draw/marks.ts";
import { type Line, span, spread } from "../../text/draw/spans.ts";
import { padEnd } from "../../text/draw/width.ts";
import { agentBarOf, type Pages, pageFor, toneOf } from "../pages/pages.ts";

/** More todos are counted. */
const MAX_TODOS = 8;
/** Todos before the current one. */
const BEFORE = 2;

/** The number of lines that the todos of a row take below it; finished lists stay on one line. */
export function todosShown({ group, view }: BoardRow): number {
  return group === "finished" ? 0 : Math.min(MAX_TODOS, view.rows.length);
}

/** The todos around the current one, one line each; the last line counts the others. */
export function rowTodos(pages: Pages, row: BoardRow): readonly Line[] {
  const page = pageFor(pages, row);
  const { tones, marks, width } = page;
  const { rows, current, next } = row.view;
  const count = todosShown(row);
  const focus = rows.indexOf(current ?? next ?? rows[0] ?? ({} as Row));
  const space = rows.length > count ? count - 1 : count;
  const start = Math.max(0, Math.min(focus - BEFORE, rows.length - space));
  const lines = rows.slice(start, start + space).map((each) => {
    const isCurrent = each === current;
    const tone = isCurrent ? toneOf(page, row) : (evidenceTone(tones, each) ?? tones.dim);
    const left = [
      agentBarOf(page, row),
      span("    "),
      span(padEnd(markOf(marks, each), marks.todoCells + 1), tone),
      span(page.safe(each.todo.text), isCurrent ? tones.bold : tones.dim),
    ];
    return spread(left, [], width, marks.ellipsis);
  });
  const left = rows.length - space;
  if (left === 0) return lines;
  const more = [agentBarOf(page, row), span("    "), span(`+${left} more`, tones.dim)];
  return [...lines, more];
}
