import { isDeeperThan, valueEnd } from "../../../src/core/text/json-scan.ts";
import { newShortener } from "../../../src/sessions/calls/long-line.ts";
import { type Line, splitLines } from "../../../src/sessions/transcripts/scan/lines.ts";
import { holds, same } from "../check.ts";

const MAX_LINE = 64;

const shown = (line: Line) =>
  "bytes" in line ? { ...line, bytes: line.bytes.toString("latin1") } : line;

function linesOf(chunks: readonly Buffer[]): unknown {
  const splitter = splitLines(undefined, MAX_LINE);
  const lines: unknown[] = [];
  for (const chunk of chunks) splitter.push(chunk, (line) => lines.push(shown(line)));
  const { offset, count, seen } = splitter;
  const rest = splitter.rest();
  return { lines, rest: rest && shown(rest), offset, count, seen };
}

function shortened(chunks: readonly Buffer[]): string {
  const shortener = newShortener("<", { kept: 16 });
  for (const chunk of chunks) shortener.push(chunk);
  return shortener.end();
}

/** Bytes that arrive in pieces give the same lines. */
export function fuzz(bytes: Buffer): void {
  const size = 1 + ((bytes[0] ?? 0) % 17);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  same("lines of pieces", linesOf(pieces), linesOf([bytes]));
  const { lines } = linesOf([bytes]) as { readonly lines: readonly { readonly offset: number }[] };
  for (const { offset } of lines)
    holds("a line starts after a line feed", offset === 0 || bytes[offset - 1] === 10);
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  JSON.parse(shortened(pieces));
  if (typeof value !== "object" || value === null) return;
  const begin = text.search(/\S/);
  same("end of the value", valueEnd(text, begin), text.trimEnd().length);
  same("depth", isDeeperThan(text, 3), depthOf(value) > 3);
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
