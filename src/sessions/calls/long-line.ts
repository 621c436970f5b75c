import { readSync } from "node:fs";

/** Bytes that are kept at each end of a long string. */
const KEPT = 4 * 1024 * 1024;
/** Bytes of a shortened line. */
const MOST = 24 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** How far into the end of a string a safe place is searched for. */
const SEARCHED = 64 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export interface LongLine {
  readonly offset: number;
  readonly length: number;
}

/**
 * Reads a line of JSON of any length, with the middle of long strings replaced by `mark` and the number of bytes that
 * are left out. Memory is bounded: undefined if the line is too long even so.
 */
export function readShortened(
  handle: number,
  { offset, length }: LongLine,
  mark: string,
): string | undefined {
  const shortener = newShortener(mark);
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK, length));
  for (let read = 0; read < length; ) {
    const most = Math.min(chunk.length, length - read);
    const got = readSync(handle, chunk, 0, most, offset + read);
    if (got === 0) break;
    read += got;
    if (!shortener.push(chunk.subarray(0, got))) return undefined;
  }
  return shortener.end();
}

/** Shortens the strings of one line of JSON. `push` returns false once too much was kept. */
export function newShortener(mark: string, { kept = KEPT, most = MOST } = {}) {
  const parts: Buffer[] = [];
  let size = 0;
  let inString = false;
  /** Backslashes at the end of what was read of the string. */
  let slashes = 0;
  let head: Buffer[] = [];
  let headSize = 0;
  let tail: Buffer[] = [];
  let tailSize = 0;
  let dropped = 0;

  const put = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    parts.push(Buffer.from(bytes));
    size += bytes.length;
  };
  /** The end of the string; -1 if it is not in this chunk. */
  const closingQuote = (chunk: Buffer, from: number): number => {
    for (let at = from; ; ) {
      const quote = chunk.indexOf(QUOTE, at);
      slashes = trailingSlashes(chunk.subarray(at, quote === -1 ? chunk.length : quote), slashes);
      if (quote === -1 || slashes % 2 === 0) return quote;
      slashes = 0;
      at = quote + 1;
    }
  };
  const hold = (bytes: Buffer): void => {
    const room = Math.min(bytes.length, kept - headSize);
    if (room > 0) {
      head.push(Buffer.from(bytes.subarray(0, room)));
      headSize += room;
    }
    if (room === bytes.length) return;
    tail.push(Buffer.from(bytes.subarray(room)));
    tailSize += bytes.length - room;
    for (let [first] = tail; first && tailSize - first.length >= kept; [first] = tail) {
      tail.shift();
      tailSize -= first.length;
      dropped += first.length;
    }
  };
  const release = (): void => {
    if (dropped === 0) for (const part of [...head, ...tail]) put(part);
    else {
      const start = Buffer.concat(head);
      const end = Buffer.concat(tail);
      const before = safeEnd(start);
      const after = safeStart(end);
      put(start.subarray(0, before));
      put(Buffer.from(`${mark}${dropped + start.length - before + after};`));
      put(end.subarray(after));
    }
    head = [];
    tail = [];
    headSize = 0;
    tailSize = 0;
    dropped = 0;
  };
  return {
    push(chunk: Buffer): boolean {
      for (let from = 0; from < chunk.length; ) {
        const quote = inString ? closingQuote(chunk, from) : chunk.indexOf(QUOTE, from);
        const text = chunk.subarray(from, quote === -1 ? chunk.length : quote);
        if (inString) hold(text);
        else put(text);
        if (quote === -1) break;
        if (inString) release();
        put(chunk.subarray(quote, quote + 1));
        inString = !inString;
        slashes = 0;
        from = quote + 1;
      }
      return size <= most;
    },
    end(): string {
      release();
      return Buffer.concat(parts).toString("utf8");
    },
  };
}

function trailingSlashes(bytes: Buffer, before: number): number {
  let at = bytes.length;
  while (at > 0 && bytes[at - 1] === BACKSLASH) at--;
  return bytes.length - at + (at === 0 ? before : 0);
}

const ENTITY = 6;

/** The end of the bytes without a character or an escape sequence that was cut. */
function safeEnd(bytes: Buffer): number {
  let end = bytes.length;
  // A character of several bytes.
  let start = end - 1;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  if ((bytes[start] ?? 0) >= 0xc0) end = start;
  for (let at = end - 1; at >= Math.max(0, end - ENTITY); at--) {
    if (bytes[at] !== BACKSLASH) continue;
    const isEscape = trailingSlashes(bytes.subarray(0, at + 1), 0) % 2 === 1;
    const needed = bytes[at + 1] === 0x75 ? ENTITY : 2;
    return isEscape && at + needed > end ? at : end;
  }
  return end;
}

/** Bytes that may belong to an escape sequence: `\"/bfnrtu` and hexadecimal digits. */
const IN_ESCAPES = new Set(Buffer.from('\\"/bfnrtu0123456789abcdefABCDEF'));

/** The first place that is certainly not inside a character or an escape sequence. */
function safeStart(bytes: Buffer): number {
  for (let at = 0; at < Math.min(bytes.length, SEARCHED); at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80 && !IN_ESCAPES.has(byte)) return at + 1;
  }
  return bytes.length;
}
