import { evidenceStateOf } from "../../../core/checks/evidence-state.ts";
import { TAMPER_TEXTS } from "../../../core/checks/tamper/texts.ts";
import type { TamperWarning } from "../../../core/checks/tamper/warning.ts";
import type { Todo } from "../../../core/model.ts";
import { openWarnings } from "../../../core/views/evidence.ts";
import type { Page } from "./page.ts";
import { cutLine, GAP, type Line, lineCells, span, spread } from "./spans.ts";

const MAX_WARNINGS = 3;

/** The signs that the checks of a completed todo were made weaker, with file, line and text. */
export function warningLines(page: Page, todo: Todo, available: number): Line[] {
  if (todo.status !== "completed" || evidenceStateOf(todo) !== "warned") return [];
  const warnings = openWarnings(todo);
  const max = page.options.all ? warnings.length : MAX_WARNINGS;
  const rest = warnings.length - max;
  return [
    ...warnings.slice(0, max).map((warning) => warningLine(page, warning, available)),
    ...(rest > 0 ? [[span(`${page.marks.ellipsis} ${rest} more`, page.tones.watch)]] : []),
  ];
}

function warningLine(page: Page, warning: TamperWarning, available: number): Line {
  const { marks, tones } = page;
  const left = [
    span(`${marks.todo.blocked} `, tones.watch),
    span(page.safe(placeOf(warning)), tones.watch),
    span(`${" ".repeat(GAP)}${page.safe(warning.text)}`, tones.dim),
  ];
  const meaning = [span(TAMPER_TEXTS[warning.kind], tones.dim)];
  return lineCells(left) + GAP + lineCells(meaning) <= available
    ? spread(left, meaning, available, marks.ellipsis)
    : cutLine(left, available, marks.ellipsis);
}

/** `test/refunds.test.ts:88`; a line that was removed has no number. */
export function placeOf({ file, line }: Pick<TamperWarning, "file" | "line">): string {
  return line === null ? file : `${file}:${line}`;
}
