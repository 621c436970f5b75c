/**
 * core/text: text handling. `escape` escapes external text for each sink, `model-text` marks text that a
 * model may read, `redact` removes passwords, `ids` validates ids and builds track keys, `status` parses
 * other spellings of a status, `json-scan` counts brackets before parsing. Text is escaped at the sink;
 * stored text is unchanged.
 */

// C0 and C1 controls, DEL, and the bidirectional embeddings, overrides and isolates.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

// The above, and other characters that a terminal does not show or that change the text direction.
export const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** Describes the first forbidden character of a text: `U+0007 at position 3`. */
export function forbiddenCharacter(text: string): string | undefined {
  const found = FORBIDDEN.exec(text);
  if (!found) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} at position ${found.index + 1}`;
}

export function withoutForbidden(text: string): string {
  return text.replace(new RegExp(FORBIDDEN, "gu"), "");
}

/** Joins lines: line breaks and tabs become spaces, the ends are trimmed. */
export function oneLine(text: string): string {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ").trim();
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\\u{${code.toString(16)}}`;
}

/**
 * Escapes a text for a terminal: control, bidirectional and invisible characters become visible.
 *
 * @param text any text
 * @returns a text without escape sequences
 */
export function forTerminal(text: string): string {
  return withoutFlood(text.replace(INVISIBLE, visible), () => "");
}

/** Escapes a text for the page, which keeps line breaks and tabs. HTML is escaped by the element that shows it. */
export function forPage(text: string): string {
  const shown = text.replace(INVISIBLE, (found) =>
    found === "\n" || found === "\t" ? found : visible(found),
  );
  return withoutFlood(shown, () => "");
}

/** Escapes a text for one line of a terminal. */
export function terminalLine(text: string): string {
  return forTerminal(oneLine(text));
}

/** Keeps at most four combining marks in a row; `instead` replaces the others. */
function withoutFlood(text: string, instead: (others: string) => string): string {
  if (isPlain(text)) return text;
  // Not a constant: compiling the pattern would slow down every start that does not need it.
  return text.replace(
    /(\p{M}{4})(\p{M}+)/gu,
    (_, most: string, others: string) => most + instead(others),
  );
}

function isPlain(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

// Characters that JSON does not escape and a terminal does not show.
const UNSHOWN =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Escapes every code unit as `\uXXXX`, as in JSON. */
export function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** JSON that is safe to print on a terminal: invisible characters are escaped. */
export function forJson(value: unknown, indent?: number): string {
  return withoutFlood(
    JSON.stringify(value, null, indent).replace(UNSHOWN, unicodeEscape),
    unicodeEscape,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes a text for HTML, in elements and in quoted attributes.
 *
 * @param text any text
 * @returns the text with `&`, `<`, `>` and quotation marks as entities
 */
export function forHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

let segmenter: Intl.Segmenter | undefined;

const WINDOW = 256;

/** Splits a text into user-perceived characters. */
export function graphemes(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const found: string[] = [];
  let window = WINDOW;
  // In pieces: the cost of each step of the iterator grows with the length of its text.
  for (let from = 0; from < text.length; ) {
    const segments = Array.from(
      segmenter.segment(text.slice(from, from + window)),
      ({ segment }) => segment,
    );
    // The last segment may continue after the piece, and so may the one before if it was cut in half.
    if (from + window < text.length) segments.length = Math.max(0, segments.length - 2);
    for (const segment of segments) {
      found.push(segment);
      from += segment.length;
    }
    window = segments.length > 0 ? WINDOW : window * 2;
  }
  return found;
}

/** Cuts a text to `max` user-perceived characters. */
export function cutGraphemes(text: string, max: number): string {
  if (text.length <= max) return text;
  // No readable character has more than 16 code units.
  const all = [...graphemes(text.slice(0, max * 16))];
  return all.length <= max ? text : `${all.slice(0, max - 1).join("")}${ELLIPSIS}`;
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const ELLIPSIS = "…";

/** Cuts a text to `max` bytes of UTF-8, between user-perceived characters. */
export function cutBytes(text: string, max: number): string {
  if (byteLength(text) <= max) return text;
  let kept = "";
  let size = byteLength(ELLIPSIS);
  // No more can fit, and splitting a long text is slow.
  for (const grapheme of graphemes(text.slice(0, max))) {
    size += byteLength(grapheme);
    if (size > max) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}
