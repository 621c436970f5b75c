/** The beginning and the end of a long text. */
export interface HeadAndTail {
  readonly head: string;
  /** Present if the middle is left out. */
  readonly tail?: string;
  /** Characters between head and tail that are left out. */
  readonly omitted?: number;
}

/**
 * Cuts a text to `max` characters, in the middle. The cuts are between lines if possible, otherwise between words: half
 * of a password is not recognized as one.
 */
export function headAndTail(text: string, max: number): HeadAndTail {
  if (text.length <= max) return { head: text };
  const head = headOf(text, max);
  const tail = tailOf(text, max);
  return { head, tail, omitted: text.length - head.length - tail.length };
}

/** Half of `max` characters of the beginning of a text, and those of its end. */
export function headOf(text: string, max: number): string {
  const half = Math.floor(max / 2);
  return text.length <= half ? text : text.slice(0, endBefore(text, half));
}

export function tailOf(text: string, max: number): string {
  const half = Math.floor(max / 2);
  return text.length <= half ? text : text.slice(startAfter(text, text.length - half));
}

/** How far from the wanted place a better one is searched for. */
const SEARCHED = 8_000;

function endBefore(text: string, at: number): number {
  const near = text.slice(Math.max(0, at - SEARCHED), at);
  const back = near.length - Math.max(near.lastIndexOf("\n"), -1) - 1;
  if (back < near.length) return at - back;
  const word = /\s\S*$/.exec(near);
  return word ? at - near.length + word.index : wholePair(text, at);
}

function startAfter(text: string, at: number): number {
  const near = text.slice(at, at + SEARCHED);
  const line = near.indexOf("\n");
  if (line !== -1) return at + line + 1;
  const word = near.search(/\s/);
  return word === -1 ? wholePair(text, at) : at + word + 1;
}

/** A place that is not inside a surrogate pair. */
function wholePair(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
