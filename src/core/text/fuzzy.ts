/** The letters of a text that match a search term. */
export interface FuzzyMatch {
  /** Indexes of the matching code points, ascending. */
  readonly positions: readonly number[];
  /** Higher is better. Scores of the same term are comparable. */
  readonly score: number;
}

/** Longer texts and terms are cut before matching. */
const MAX_TEXT = 400;
const MAX_TERM = 60;

/**
 * Finds the letters of a term in a text, in order. Letters may be left out inside a word (`rfnd` matches `refund`), and
 * a match may continue at the start of a later word (`mri` matches `Make refunds idempotent`). A part in the middle of a
 * word matches only as a whole (`fund`). Case and accents do not matter.
 */
export function fuzzyMatch(term: string, text: string): FuzzyMatch | undefined {
  const wanted = foldedLetters(term, MAX_TERM);
  if (wanted.length === 0) return { positions: [], score: 0 };
  const letters = foldedLetters(text, MAX_TEXT);
  const words = wordsOf(letters);
  const positions = contiguous(wanted, letters, words) ?? scattered(wanted, letters, words);
  return positions && { positions, score: scoreOf(positions, words) };
}

/** One folded letter per code point, so that positions are those of the original text. */
function foldedLetters(text: string, max: number): readonly string[] {
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .map((character) => {
      const [first = character] = character.normalize("NFKD").toLowerCase();
      return /\s/.test(first) ? " " : first;
    });
}

/** For each letter, the index at which its word starts. */
function wordsOf(letters: readonly string[]): readonly number[] {
  const starts: number[] = [];
  for (const [index, letter] of letters.entries()) {
    const isInside = index > 0 && isWordLetter(letter) && isWordLetter(letters[index - 1] ?? "");
    starts.push(isInside ? (starts[index - 1] ?? index) : index);
  }
  return starts;
}

function isWordLetter(letter: string): boolean {
  return /[\p{L}\p{N}\p{M}]/u.test(letter);
}

/** All letters next to each other, preferably at the start of a word. */
function contiguous(
  wanted: readonly string[],
  letters: readonly string[],
  words: readonly number[],
): readonly number[] | undefined {
  let inside: number | undefined;
  for (let from = 0; from + wanted.length <= letters.length; from++) {
    if (!wanted.every((letter, index) => letters[from + index] === letter)) continue;
    if (words[from] === from) return wanted.map((_, index) => from + index);
    inside ??= from;
  }
  return inside === undefined ? undefined : wanted.map((_, index) => (inside ?? 0) + index);
}

/** Starts at a word and continues in the same word or at the start of a later one. */
function scattered(
  wanted: readonly string[],
  letters: readonly string[],
  words: readonly number[],
): readonly number[] | undefined {
  // Without this, the search would be exponential.
  const failed = new Set<number>();
  const from = (next: number, after: number): readonly number[] | undefined => {
    if (next === wanted.length) return [];
    const state = next * (letters.length + 1) + after + 1;
    if (failed.has(state)) return undefined;
    for (let index = after + 1; index < letters.length; index++) {
      const isStart = words[index] === index;
      const isSameWord = after >= 0 && words[index] === words[after];
      if (letters[index] !== wanted[next] || !(isStart || isSameWord)) continue;
      const rest = from(next + 1, index);
      if (rest) return [index, ...rest];
    }
    failed.add(state);
    return undefined;
  };
  return from(0, -1);
}

const CONTIGUOUS = 4;
const WORD_START = 3;

function scoreOf(positions: readonly number[], words: readonly number[]): number {
  let score = 0;
  for (const [index, position] of positions.entries()) {
    if (words[position] === position) score += WORD_START;
    if (index > 0 && positions[index - 1] === position - 1) score += CONTIGUOUS;
  }
  const first = positions[0] ?? 0;
  const spread = (positions.at(-1) ?? 0) - first;
  return score - spread / 50 - first / 100;
}
