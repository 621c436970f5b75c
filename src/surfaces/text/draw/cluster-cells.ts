import { eastAsianWidth } from "get-east-asian-width";

/** Compiled on first use: expanding the Unicode properties takes as long as starting Node. */
const pattern = (source: string, flags = "v") => {
  let compiled: RegExp | undefined;
  return () => {
    compiled ??= new RegExp(source, flags);
    return compiled;
  };
};

const VISIBLE = pattern(
  String.raw`[^\p{Default_Ignorable_Code_Point}\p{Control}\p{Format}\p{Nonspacing_Mark}\p{Enclosing_Mark}\p{Surrogate}]`,
);
const SPACING_MARK = pattern(String.raw`\p{Spacing_Mark}`);
/** Characters that are text without the emoji variation selector. */
const WITH_SELECTOR = pattern(String.raw`^[\p{Emoji}--\p{Emoji_Presentation}--[0-9#*]]\ufe0f$`);
const KEYCAP = /^[\d#*]\u20e3$/;
const PICTURES = pattern(String.raw`\p{Extended_Pictographic}`, "gv");
const MAY_BE_EMOJI = pattern(String.raw`\p{Emoji_Presentation}|\ufe0f`);
/** By far the most expensive: it expands to thousands of sequences. */
const EMOJI = pattern(String.raw`^\p{RGI_Emoji}$`);

/** No emoji is longer; bounds the work for longer clusters. */
const LONGEST_PICTURE = 50;

const within = (point: number | undefined, ...bounds: readonly (readonly [number, number])[]) =>
  point !== undefined && bounds.some(([from, to]) => point >= from && point <= to);
const isLeading = (point: number | undefined) => within(point, [0x1100, 0x115f], [0xa960, 0xa97c]);
const isVowel = (point: number | undefined) => within(point, [0x1160, 0x11a7], [0xd7b0, 0xd7c6]);
const isTrailing = (point: number | undefined) => within(point, [0x11a8, 0x11ff], [0xd7cb, 0xd7fb]);
const isJamo = (point: number | undefined) =>
  isLeading(point) || isVowel(point) || isTrailing(point);

/** Jamo that form a syllable share its two cells; others are drawn side by side. */
function jamoCells(points: readonly number[]): number {
  let sum = 0;
  let index = 0;
  while (isJamo(points[index])) {
    const isSyllable = isLeading(points[index]) && isVowel(points[index + 1]);
    sum += isSyllable ? 2 : eastAsianWidth(points[index] ?? 0);
    index += isSyllable ? (isTrailing(points[index + 2]) ? 3 : 2) : 1;
  }
  for (const point of points.slice(index)) sum += eastAsianWidth(point);
  return sum;
}

/** The width of a cluster that is not an emoji: its first character and its spacing marks. */
function letterCells([first = "", ...others]: readonly string[]): number {
  const wide = others.filter(
    (each) => (each >= "\uff00" && each <= "\uffef") || SPACING_MARK().test(each),
  );
  return [first, ...wide].reduce((sum, each) => sum + eastAsianWidth(each.codePointAt(0) ?? 0), 0);
}

function isPicture(cluster: string): boolean {
  if (WITH_SELECTOR().test(cluster)) return true;
  if (MAY_BE_EMOJI().test(cluster) && EMOJI().test(cluster)) return true;
  if (cluster.length > LONGEST_PICTURE) return false;
  if (KEYCAP.test(cluster)) return true;
  return cluster.includes("\u200d") && (cluster.match(PICTURES())?.length ?? 0) >= 2;
}

/**
 * Terminal cells of a grapheme cluster. Returns what the package string-width returns, without its
 * cost at load time.
 */
export function clusterCells(cluster: string): number {
  const start = cluster.search(VISIBLE());
  if (start === -1) return 0;
  const shown = [...cluster.slice(start)];
  const points = shown
    .filter((each) => VISIBLE().test(each))
    .map((each) => each.codePointAt(0) ?? 0);
  const size = isJamo(points[0]) ? jamoCells(points) : letterCells(shown);
  // An emoji takes two cells.
  return size !== 2 && isPicture(cluster) ? 2 : size;
}
