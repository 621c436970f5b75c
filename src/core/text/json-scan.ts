/** Scans JSON text for brackets before it is parsed. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/** The index of the closing quote of the string that starts at `start`, or the length of the text. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  for (; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index++;
    else if (code === QUOTE) break;
  }
  return index;
}

/** Whether the nesting exceeds `levels`. Parsing millions of levels would block for seconds. */
export function isDeeperThan(json: string, levels: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(json, index);
    else if (isOpening(code)) {
      if (++depth > levels) return true;
    } else if (isClosing(code)) depth--;
  }
  return false;
}

/** The index after the object or array that starts at `start`; -1 if it does not end. */
export function valueEnd(text: string, start: number): number {
  const opening = text.charCodeAt(start);
  // In ASCII, a closing bracket is two code points after its opening one.
  const closing = opening + 2;
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(text, index);
    else if (code === opening) depth++;
    else if (code === closing && --depth === 0) return index + 1;
  }
  return -1;
}
