import { evidenceStateOf } from "../../../core/checks/evidence-state.ts";
import type { Todo } from "../../../core/model.ts";
import { isOpen, type Row, type View } from "../../../core/views/view.ts";
import type { Page } from "./page.ts";
import type { Sgr } from "./paint.ts";
import { type Line, span } from "./spans.ts";
import { cells } from "./width.ts";
import { hiddenLines, rowLimit, windowOf } from "./window.ts";

/** A count, and a checkbox for each todo. */
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

function todoLine(page: Page, { todo }: Row): Line {
  const { checkbox } = page.marks;
  const closed = !isOpen(todo);
  const box = closed ? checkbox.on : checkbox.off;
  const word = stateWord(page, todo);
  const available = page.width - 2 - cells(box) - 1 - cells(word);
  return [
    span(`${box} `, closed ? page.tones.dim : undefined),
    span(page.cut(page.safe(todo.text), available), textTone(page, todo)),
    span(word, page.tones.dim),
  ];
}

function textTone({ tones }: Page, todo: Todo): Sgr | undefined {
  if (!isOpen(todo)) return tones.struck;
  return todo.status === "in_progress" ? tones.bold : undefined;
}

/** Nothing for a completion without proof, as in the format that this style follows. */
function evidenceWord(todo: Todo): string {
  const state = evidenceStateOf(todo);
  if (state === "reported" || state === "unverified") return "";
  return state === "failed" ? " (check failed)" : ` (${state === "warned" ? "warning" : state})`;
}

/** Two boxes cannot show five states; without color, bold cannot mark the current todo either. */
function stateWord({ options }: Page, todo: Todo): string {
  if (todo.status === "completed") return evidenceWord(todo);
  if (todo.status === "cancelled") return " (cancelled)";
  if (todo.status === "blocked") return " (blocked)";
  return todo.status === "in_progress" && !options.color ? " (in progress)" : "";
}
