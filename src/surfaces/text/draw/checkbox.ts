import type { Todo } from "../../../core/model.ts";
import { isOpen, type Row, type View } from "../../../core/views/view.ts";
import type { Page } from "./page.ts";
import type { Sgr } from "./paint.ts";
import { type Line, span } from "./spans.ts";
import { cells } from "./width.ts";
import { hiddenLines, rowLimit, windowOf } from "./window.ts";

/** Seed 003: a count, and a box for each todo that is ticked or not. */
export function checkboxLines(page: Page, view: View): readonly Line[] {
  const count = view.rows.length;
  const window = windowOf(view, rowLimit(page));
  const indented = (line: Line): Line => [span("  "), ...line];
  return [
    [span(`${count} ${count === 1 ? "todo" : "todos"}:`, page.tones.bold)],
    ...hiddenLines(page, "above", window.before).map(indented),
    ...window.rows.map((row) => indented(todoLine(page, row))),
    ...hiddenLines(page, "below", window.after).map(indented),
  ];
}

function todoLine(page: Page, { todo, proof }: Row): Line {
  const { checkbox } = page.marks;
  const closed = !isOpen(todo);
  const box = closed ? checkbox.on : checkbox.off;
  const word = proof === "verified" ? " (verified)" : stateWord(page, todo);
  const room = page.width - 2 - cells(box) - 1 - cells(word);
  return [
    span(`${box} `, closed ? page.tones.dim : undefined),
    span(page.cut(page.safe(todo.text), room), textTone(page, todo)),
    span(word, page.tones.dim),
  ];
}

function textTone({ tones }: Page, todo: Todo): Sgr | undefined {
  if (!isOpen(todo)) return tones.struck;
  return todo.status === "in_progress" ? tones.bold : undefined;
}

/** The two boxes cannot tell all five states apart, and bold is gone where colour is. */
function stateWord({ options }: Page, todo: Todo): string {
  if (todo.status === "cancelled") return " (dropped)";
  if (todo.status === "blocked") return " (blocked)";
  return todo.status === "in_progress" && !options.color ? " (in progress)" : "";
}
