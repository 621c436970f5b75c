/** More settings than a real file has are not compared. */
const MAX_SETTINGS = 400;

export function* firstOf(text: string, pattern: RegExp): Generator<RegExpExecArray> {
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    if (count++ >= MAX_SETTINGS) return;
    yield match;
  }
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line++;
  return line;
}
