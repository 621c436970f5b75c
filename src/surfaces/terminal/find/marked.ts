import { graphemes } from "../../../core/text/escape.ts";
import { fuzzyMatch } from "../../../core/text/fuzzy.ts";
import type { Sgr } from "../../text/draw/paint.ts";
import { type Line, type Span, span } from "../../text/draw/spans.ts";

/** The text with the letters that match one of the words in another style. */
export function markedSpans(
  text: string,
  words: readonly string[],
  tone: Sgr | undefined,
  mark: Sgr,
): Line {
  const positions = new Set(words.flatMap((word) => fuzzyMatch(word, text)?.positions ?? []));
  if (positions.size === 0) return [span(text, tone)];
  const spans: Span[] = [];
  let index = 0;
  // A character with its accents stays in one span, so that its width can be measured.
  for (const grapheme of graphemes(text)) {
    const size = Array.from(grapheme).length;
    const isMarked = Array.from({ length: size }, (_, at) => index + at).some((at) =>
      positions.has(at),
    );
    const sgr = isMarked ? mark : tone;
    const last = spans.at(-1);
    if (last && last.sgr === sgr) spans[spans.length - 1] = span(last.text + grapheme, sgr);
    else spans.push(span(grapheme, sgr));
    index += size;
  }
  return spans;
}
