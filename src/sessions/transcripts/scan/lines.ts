/** A line of a file, or the position of one that is too long. */
export type Line =
  | { readonly number: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly number: number; readonly offset: number; readonly skipped: number };

export interface LineSplitter {
  /**
   * Adds bytes and calls back for each line that they complete. An incomplete line is copied, except
   * from the last chunk.
   */
  push(chunk: Buffer, each: (line: Line) => void, isLast?: boolean): void;
  /** Offset of the first incomplete line. */
  readonly offset: number;
  /** Number of lines completed so far. */
  readonly count: number;
  /** Bytes of that line that need not be read again, because it is already too long. */
  readonly seen: number;
  /** The incomplete last line, if it has any bytes. */
  rest(): Line | undefined;
}

export const MAX_LINE = 8 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Splits bytes into lines. Works on bytes, not on text: a chunk may end inside a character. A line
 * longer than `maxLine` is counted, not kept, so that memory stays bounded.
 */
export function splitLines(
  start = { offset: 0, count: 0, seen: 0 },
  maxLine = MAX_LINE,
): LineSplitter {
  let { offset, count, seen: length } = start;
  let parts: Buffer[] = [];

  const finish = (): Line => {
    const number = ++count;
    const line: Line =
      length > maxLine
        ? { number, offset, skipped: length }
        : { number, offset, bytes: withoutReturn(join(parts, length)) };
    offset += length + 1;
    parts = [];
    length = 0;
    return line;
  };
  const keep = (part: Buffer, copied = false): void => {
    length += part.length;
    if (length > maxLine) parts = [];
    else parts.push(copied ? Buffer.from(part) : part);
  };

  return {
    get offset() {
      return offset;
    },
    get count() {
      return count;
    },
    get seen() {
      return length > maxLine ? length : 0;
    },
    push(chunk, each, isLast = false) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, end));
        each(finish());
        from = end + 1;
      }
      // Copied, because the caller may reuse its buffer.
      if (from < chunk.length) keep(chunk.subarray(from), !isLast);
    },
    rest() {
      if (length === 0) return undefined;
      const kept = { offset, count, parts, length };
      const line = finish();
      ({ offset, count, parts, length } = kept);
      return line;
    },
  };
}

function join(parts: readonly Buffer[], length: number): Buffer {
  const [only, other] = parts;
  return only && !other ? only : Buffer.concat(parts, length);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
