/** A part of a changed text. */
export interface WordSpan {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Words with the white space after them; punctuation between words is part of a word, as in paths. */
const WORDS = /[^\s,.;:]+(?:[,.;:]+[^\s,.;:]+)*\s*|[,.;:]+\s*/g;
/** More comparisons would take too long; then the whole text counts as changed. */
const MAX_COMPARED = 1_000_000;

function wordsOf(text: string): readonly string[] {
  return text.match(WORDS) ?? [];
}

/** The differences between two texts, word by word: what was removed before what was added. */
export function wordDiff(before: string, after: string): readonly WordSpan[] {
  if (before === after) return before === "" ? [] : [{ kind: "same", text: after }];
  const a = wordsOf(before);
  const b = wordsOf(after);
  if (a.length * b.length > MAX_COMPARED)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  return joined(pairs(a, b));
}

/** Walks through the longest common subsequence of both lists. */
function pairs(a: readonly string[], b: readonly string[]): readonly WordSpan[] {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const isSame = (i: number, j: number) => a[i]?.trimEnd() === b[j]?.trimEnd();
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = isSame(i, j)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
  const spans: WordSpan[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && isSame(i, j)) {
      const [before = "", after = ""] = [a[i], b[j]];
      // The longer white space: what was removed after the word stays apart from it.
      spans.push({ kind: "same", text: before.length > after.length ? before : after });
      i++;
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
      spans.push({ kind: "removed", text: a[i++] ?? "" });
    else spans.push({ kind: "added", text: b[j++] ?? "" });
  }
  return spans;
}

/** Joins neighbors of one kind; between two unchanged words, what was removed comes first. */
function joined(spans: readonly WordSpan[]): readonly WordSpan[] {
  const found: WordSpan[] = [];
  let removed = "";
  let added = "";
  const flush = (): void => {
    if (removed !== "") found.push({ kind: "removed", text: removed });
    if (added !== "") found.push({ kind: "added", text: added });
    removed = "";
    added = "";
  };
  for (const { kind, text } of spans) {
    if (kind === "removed") removed += text;
    else if (kind === "added") added += text;
    else {
      flush();
      const last = found.at(-1);
      if (last?.kind === "same") found[found.length - 1] = { kind, text: last.text + text };
      else found.push({ kind, text });
    }
  }
  flush();
  return found;
}

/** How alike two texts are, from 0 to 1: the share of words that they have in common. */
export function similarity(a: string, b: string): number {
  const words = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const one = words(a);
  const other = words(b);
  if (one.length + other.length === 0) return a === b ? 1 : 0;
  const counts = new Map<string, number>();
  for (const word of one) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of other) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    common++;
  }
  return (2 * common) / (one.length + other.length);
}
