import type { Todo } from "../../core/model.ts";
import type { Page } from "./draw/page.ts";
import { type Line, span } from "./draw/spans.ts";
import { cells, wrap } from "./draw/width.ts";

const MAX_LINES = 12;

/** The notes of a todo, with a bar in front of each line. */
export function noteLines(page: Page, todo: Todo, available: number): Line[] {
  const { marks, tones, options } = page;
  const textRoom = available - cells(marks.noteEdge) - 1;
  const max = options.all ? Number.POSITIVE_INFINITY : MAX_LINES;
  const lines: string[] = [];
  for (const line of sourceLines(todo.notes ?? [])) {
    lines.push(...wrap(options.all ? page.whole(line) : page.safe(line), textRoom));
    if (lines.length > max) break;
  }
  const more = page.cut(`${marks.ellipsis} more`, textRoom);
  const shown = lines.length > max ? [...lines.slice(0, max - 1), more] : lines;
  return shown.map((line) => [span(`${marks.noteEdge} `, tones.edge), span(line, tones.dim)]);
}

function* sourceLines(notes: readonly string[]): Iterable<string> {
  for (const note of notes) yield* note.split(/\r\n|[\n\r\u0085\u2028\u2029]/);
}
