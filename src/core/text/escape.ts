/**
 * core/text: text and its hazards. `escape` makes foreign text safe for each sink, `model-text` marks
 * text that a model may read, `redact` removes passwords, `ids` checks names and builds track keys,
 * `status` reads other spellings of a status, `json-scan` counts brackets before parsing.
 */

/**
 * Foreign text made harmless, once for each place it can end up in. Applied at the sink; what is
 * stored stays as it was written.
 */

// C0 and C1 controls, DEL, and the bidirectional embeddings, overrides and isolates.
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

// The above, and what else a terminal draws as nothing or uses to change the order of what it draws.
export const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e007f}]/gu;

/** The first character of a text that must not be written, in words. */
export function forbiddenCharacter(text: string): string | undefined {
  const found = FORBIDDEN.exec(text);
  if (!found) return undefined;
  const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `U+${code} at position ${found.index + 1}`;
}

export function withoutForbidden(text: string): string {
  return text.replace(new RegExp(FORBIDDEN, "gu"), "");
}

/** One line: line breaks and tabs become spaces, the ends are trimmed. */
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
 * Escapes a text for a terminal: control, bidirectional and invisible characters become visible
 * ones.
 *
 * @param text any text
 * @returns a text without escape sequences
 */
export function forTerminal(text: string): string {
  return withoutFlood(text.replace(INVISIBLE, visible), () => "");
}

/** One line for a terminal. */
export function terminalLine(text: string): string {
  return forTerminal(oneLine(text));
}

/** At most four combining marks in a row; what becomes of the others is up to the caller. */
function withoutFlood(text: string, instead: (others: string) => string): string {
  if (isPlain(text)) return text;
  // Here, not above: to learn which characters combine costs every start that never asks.
  return text.replace(
    /(\p{M}{4})(\p{M}+)/gu,
    (_, most: string, others: string) => most + instead(others),
  );
}

function isPlain(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

// What JSON leaves as it is and a terminal does not show as what it is.
const UNSHOWN =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** `\uXXXX` for every code unit, as in JSON. */
export function unicodeEscape(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** JSON that means the same everywhere and does nothing to a terminal that it may end up on. */
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

/** Characters as people see them. */
export function graphemes(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const found: string[] = [];
  let window = WINDOW;
  // In pieces: each step of the iterator takes the longer the longer its text is.
  for (let from = 0; from < text.length; ) {
    const segments = Array.from(
      segmenter.segment(text.slice(from, from + window)),
      ({ segment }) => segment,
    );
    // The last one may go on behind the piece, and so may the one before, if only half of it is there.
    if (from + window < text.length) segments.length = Math.max(0, segments.length - 2);
    for (const segment of segments) {
      found.push(segment);
      from += segment.length;
    }
    window = segments.length > 0 ? WINDOW : window * 2;
  }
  return found;
}

/** At most `max` characters as people see them. */
export function cutGraphemes(text: string, max: number): string {
  if (text.length <= max) return text;
  // No character is longer than this that anybody could read.
  const all = [...graphemes(text.slice(0, max * 16))];
  return all.length <= max ? text : `${all.slice(0, max - 1).join("")}${ELLIPSIS}`;
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const ELLIPSIS = "…";

/** At most `max` bytes of UTF-8, cut between characters as people see them. */
export function cutBytes(text: string, max: number): string {
  if (byteLength(text) <= max) return text;
  let kept = "";
  let size = byteLength(ELLIPSIS);
  // No more than this can fit, and finding characters in a long text takes very long.
  for (const grapheme of graphemes(text.slice(0, max))) {
    size += byteLength(grapheme);
    if (size > max) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}
