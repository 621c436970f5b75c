import { joinText, line, type ModelText, modelText } from "../text/model-text.ts";

export interface BlockParts {
  readonly head: readonly ModelText[];
  /** Whole entries are dropped from the end until the rest fits. */
  readonly data: Entries;
  readonly foot: readonly ModelText[];
  readonly more: (count: number) => ModelText;
}

/** Entries of one or more lines, rendered only as far as they fit. */
export interface Entries {
  readonly count: number;
  readonly at: (index: number) => readonly ModelText[];
}

export function entriesOf<T>(
  items: readonly T[],
  linesOf: (item: T) => readonly ModelText[],
): Entries {
  return {
    count: items.length,
    at: (index) => {
      const item = items[index];
      return item === undefined ? [] : linesOf(item);
    },
  };
}

/** A block of at most `cap` characters; undefined if not even its first line fits. */
export function block(mark: string, cap: number, parts: BlockParts): ModelText | undefined {
  const { head, data, foot, more } = parts;
  const name = line(mark);
  const frame = (lines: readonly ModelText[]) =>
    joinText([modelText`<waymark-${name}>`, ...lines, modelText`</waymark-${name}>`], "\n");
  for (const end of foot.length > 0 ? [foot, []] : [foot]) {
    const rest = (count: number) => (count < data.count ? [more(data.count - count)] : []);
    const size = (kept: readonly ModelText[]) =>
      frame([...head, ...kept, ...rest(kept.length), ...end]).length;
    const kept = fitting(data, (lines) => size(lines) <= cap);
    const text = frame([...head, ...kept, ...rest(kept.length), ...end]);
    if (text.length <= cap) return text;
  }
  const least = frame(head.slice(0, 1));
  return least.length <= cap ? least : undefined;
}

/** As many entries as fit. The first one may be shortened to some of its lines. */
function fitting(
  data: Entries,
  fits: (kept: readonly ModelText[]) => boolean,
): readonly ModelText[] {
  let best: readonly ModelText[] = [];
  let kept: readonly ModelText[] = [];
  for (let index = 0; index < data.count; index++) {
    let lines = data.at(index);
    if (index === 0)
      while (!fits([joinText(lines, "\n")]) && lines.length > 1) lines = lines.slice(0, -1);
    kept = [...kept, joinText(lines, "\n")];
    if (fits(kept)) best = kept;
    // The last entry may fit although the one before did not, because it needs no line that counts the rest.
    else if (index > best.length) break;
  }
  return best;
}

// Some agents escape the output of hooks.
const OWN_TAG = /(?:<|&lt;)(\/?)waymark-([\da-z]+)(?:>|&gt;)/g;
const TAG = /<\/?[a-z][^<>]*>/gi;

/** A message as the user wrote it: without our blocks, and without the tags that some agents put around them. */
export function withoutBlocks(message: string): string {
  if (!message.includes("waymark-")) return message;
  const rest = withoutOwnBlocks(message);
  return rest === message ? message : rest.replace(TAG, "").trim();
}

/** In one pass: a message may have any number of tags without an end. */
function withoutOwnBlocks(message: string): string {
  const ends = new Map<string, number>();
  const blocks: [from: number, to: number][] = [];
  for (const { 0: tag, 1: slash, 2: name = "", index } of [
    ...message.matchAll(OWN_TAG),
  ].reverse()) {
    const end = ends.get(name);
    if (slash) ends.set(name, index + tag.length);
    else if (end !== undefined) blocks.push([index, end]);
  }
  let rest = "";
  let at = 0;
  for (const [from, to] of blocks.reverse()) {
    if (from < at) continue;
    rest += message.slice(at, from);
    at = to;
  }
  return rest + message.slice(at);
}
