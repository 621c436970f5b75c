/** Brackets of JSON, counted on the text before anything is built from it. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/** The place of the quote that ends the string whose first quote is at `start`, or the end of the text. */
function stringEnd(text: string, start: number): number {
  let place = start + 1;
  for (; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === BACKSLASH) place++;
    else if (code === QUOTE) break;
  }
  return place;
}

/** Whether a text has more levels of brackets. A parser would block for seconds on millions of them. */
export function isDeeperThan(json: string, levels: number): boolean {
  let depth = 0;
  for (let place = 0; place < json.length; place++) {
    const code = json.charCodeAt(place);
    if (code === QUOTE) place = stringEnd(json, place);
    else if (isOpening(code)) {
      if (++depth > levels) return true;
    } else if (isClosing(code)) depth--;
  }
  return false;
}

/** The place behind the object or array that starts at `start`; -1 if it does not end. */
export function valueEnd(text: string, start: number): number {
  const opening = text.charCodeAt(start);
  // In ASCII, the closing bracket is two behind the opening one.
  const closing = opening + 2;
  let depth = 0;
  for (let place = start; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code === QUOTE) place = stringEnd(text, place);
    else if (code === opening) depth++;
    else if (code === closing && --depth === 0) return place + 1;
  }
  return -1;
}
