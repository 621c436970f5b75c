import type { Todo } from "./model.ts";
import { forBlock } from "./safe-text.ts";

const MAX_LINE = 240;
const MAX_NOTE = 240;
const MAX_NOTES = 5;

const MARKS: Readonly<Record<Todo["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
  blocked: "[!]",
};

/** Foreign text as a piece of a block: no tag, no line break, never the mark, never too long. */
export function quoted(mark: string, text: string, max: number = MAX_LINE): string {
  return forBlock(text.replaceAll(mark, "·"), max);
}

export function todoLine(mark: string, todo: Todo): string {
  const line = `${MARKS[todo.status]} ${quoted(mark, todo.text)}`;
  if (todo.status === "in_progress" && todo.activeText !== undefined)
    return `${line} <- ${quoted(mark, todo.activeText)}`;
  if (todo.status === "blocked") {
    const waits = todo.blocker ?? todo.blockedBy?.join(", ");
    return waits === undefined ? line : `${line} (waits for ${quoted(mark, waits, 80)})`;
  }
  return line;
}

/** A todo, and under it its last notes where they are wanted. */
export function dataLines(mark: string, todo: Todo, withNotes: boolean): readonly string[] {
  const notes = withNotes ? (todo.notes ?? []).slice(-MAX_NOTES) : [];
  const under = notes.map((note) => `    > ${quoted(mark, note, MAX_NOTE)}`);
  return [[todoLine(mark, todo), ...under].join("\n")];
}

interface Parts {
  readonly head: readonly string[];
  /** Entries are left out whole, from the end, until the rest fits. */
  readonly data: readonly string[];
  readonly foot: readonly string[];
  readonly more: (count: number) => string;
}

/** One block of at most `cap` characters. */
export function block(mark: string, cap: number, { head, data, foot, more }: Parts): string {
  const text = (kept: readonly string[]) => {
    const left = data.length - kept.length;
    const lines = [...head, ...kept, ...(left > 0 ? [more(left)] : []), ...foot];
    return [`<waymark-${mark}>`, ...lines, `</waymark-${mark}>`].join("\n");
  };
  let kept = data;
  while (kept.length > 0 && text(kept).length > cap) kept = kept.slice(0, -1);
  return text(kept);
}
