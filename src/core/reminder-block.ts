import type { Todo } from "./model.ts";
import { forBlock } from "./safe-text.ts";

const MAX_LINE = 240;
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
  return forBlock(text.slice(0, max * 8).replaceAll(mark, "·"), max);
}

export function todoLine(mark: string, todo: Todo): string {
  const line = `${MARKS[todo.status]} ${quoted(mark, todo.text)}`;
  if (todo.status === "in_progress" && todo.activeText !== undefined)
    return `${line} <- ${quoted(mark, todo.activeText, MAX_LINE / 2)}`;
  if (todo.status !== "blocked") return line;
  const waits = todo.blocker ?? todo.blockedBy?.join(", ");
  return waits === undefined ? line : `${line} (waits for ${quoted(mark, waits, 80)})`;
}

/** A todo, and under it its last notes. */
export function todoWithNotes(mark: string, todo: Todo): string {
  const notes = (todo.notes ?? []).slice(-MAX_NOTES);
  return [todoLine(mark, todo), ...notes.map((note) => `    > ${quoted(mark, note)}`)].join("\n");
}

export interface BlockParts {
  readonly head: readonly string[];
  /** Entries are left out whole, from the end, until the rest fits. */
  readonly data: Entries;
  readonly foot: readonly string[];
  readonly more: (count: number) => string;
}

/** Entries of a block, made only when there is room for them. */
export interface Entries {
  readonly count: number;
  readonly at: (place: number) => string;
}

export function entriesOf<T>(items: readonly T[], line: (item: T) => string): Entries {
  return {
    count: items.length,
    at: (place) => {
      const item = items[place];
      return item === undefined ? "" : line(item);
    },
  };
}

/** One block of at most `cap` characters; nothing where not even its first line has room. */
export function block(mark: string, cap: number, parts: BlockParts): string | undefined {
  const { head, data, foot, more } = parts;
  const framed = (lines: readonly string[]) =>
    [`<waymark-${mark}>`, ...lines, `</waymark-${mark}>`].join("\n");
  for (const end of foot.length > 0 ? [foot, []] : [foot]) {
    const rest = (count: number) => (count < data.count ? [more(data.count - count)] : []);
    const size = (kept: readonly string[]) =>
      framed([...head, ...kept, ...rest(kept.length), ...end]).length;
    const kept = fitting(data, (lines) => size(lines) <= cap);
    const text = framed([...head, ...kept, ...rest(kept.length), ...end]);
    if (text.length <= cap) return text;
  }
  const least = framed(head.slice(0, 1));
  return least.length <= cap ? least : undefined;
}

/** As many entries as fit; of the first one rather a part of its lines than nothing. */
function fitting(data: Entries, fits: (kept: readonly string[]) => boolean): readonly string[] {
  let best: readonly string[] = [];
  let kept: readonly string[] = [];
  for (let place = 0; place < data.count; place++) {
    let entry = data.at(place);
    if (place === 0)
      while (!fits([entry]) && entry.includes("\n"))
        entry = entry.slice(0, entry.lastIndexOf("\n"));
    kept = [...kept, entry];
    if (fits(kept)) best = kept;
    // The line that counts the rest may be what is too long: one entry further there is none.
    else if (place > best.length) break;
  }
  return best;
}

// Some agents escape what a hook says.
const OWN_BLOCK = /(?:<|&lt;)waymark-([\da-z]+)(?:>|&gt;)[\s\S]*?(?:<|&lt;)\/waymark-\1(?:>|&gt;)/g;
const TAG = /<\/?[a-z][^<>]*>/gi;

/**
 * What a person said of a message: without the blocks that we put into it, nor the tags in which
 * some agents wrap those.
 */
export function withoutBlocks(message: string): string {
  if (!message.includes("waymark-")) return message;
  const said = message.replace(OWN_BLOCK, "");
  return said === message ? message : said.replace(TAG, "").trim();
}
