import type { Todo } from "../model.ts";
import { joinText, line, type ModelText, modelText, quote } from "../text/model-text.ts";
import { todoLine } from "../views/todo-line.ts";

const MAX_NOTES = 5;

/** A todo, and under it its last notes. */
export function todoWithNotes(todo: Todo): readonly ModelText[] {
  const notes = (todo.notes ?? []).slice(-MAX_NOTES);
  return [todoLine(todo), ...notes.map((note) => modelText`    > ${quote(note)}`)];
}

export interface BlockParts {
  readonly head: readonly ModelText[];
  /** Entries are left out whole, from the end, until the rest fits. */
  readonly data: Entries;
  readonly foot: readonly ModelText[];
  readonly more: (count: number) => ModelText;
}

/** Entries of a block, each of one or more lines, made only when there is room for them. */
export interface Entries {
  readonly count: number;
  readonly at: (place: number) => readonly ModelText[];
}

export function entriesOf<T>(
  items: readonly T[],
  linesOf: (item: T) => readonly ModelText[],
): Entries {
  return {
    count: items.length,
    at: (place) => {
      const item = items[place];
      return item === undefined ? [] : linesOf(item);
    },
  };
}

/** One block of at most `cap` characters; nothing where not even its first line has room. */
export function block(mark: string, cap: number, parts: BlockParts): ModelText | undefined {
  const { head, data, foot, more } = parts;
  const name = line(mark);
  const framed = (lines: readonly ModelText[]) =>
    joinText([modelText`<waymark-${name}>`, ...lines, modelText`</waymark-${name}>`], "\n");
  for (const end of foot.length > 0 ? [foot, []] : [foot]) {
    const rest = (count: number) => (count < data.count ? [more(data.count - count)] : []);
    const size = (kept: readonly ModelText[]) =>
      framed([...head, ...kept, ...rest(kept.length), ...end]).length;
    const kept = fitting(data, (lines) => size(lines) <= cap);
    const text = framed([...head, ...kept, ...rest(kept.length), ...end]);
    if (text.length <= cap) return text;
  }
  const least = framed(head.slice(0, 1));
  return least.length <= cap ? least : undefined;
}

/** As many entries as fit; of the first one rather a part of its lines than nothing. */
function fitting(
  data: Entries,
  fits: (kept: readonly ModelText[]) => boolean,
): readonly ModelText[] {
  let best: readonly ModelText[] = [];
  let kept: readonly ModelText[] = [];
  for (let place = 0; place < data.count; place++) {
    let lines = data.at(place);
    if (place === 0)
      while (!fits([joinText(lines, "\n")]) && lines.length > 1) lines = lines.slice(0, -1);
    kept = [...kept, joinText(lines, "\n")];
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
