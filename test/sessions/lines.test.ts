import fc from "fast-check";
import { expect, it } from "vitest";
import { type Line, splitLines } from "../../src/sessions/transcripts/scan/lines.ts";

function linesOf(chunks: readonly Buffer[], maxLine?: number): unknown[] {
  const found: Line[] = [];
  const splitter = splitLines(undefined, maxLine);
  for (const chunk of chunks) splitter.push(chunk, (line) => found.push(line));
  const rest = splitter.rest();
  return [...found, ...(rest ? [rest] : [])].map((line) =>
    "bytes" in line ? { ...line, bytes: line.bytes.toString("utf8") } : line,
  );
}

const SAMPLE = Buffer.from('{"a":"é"}\r\n\n{"b":"👩‍👩‍👧 中文"}\n{"c":"last"}');

it("gives the same lines for every split point", { tags: ["partial-line"] }, () => {
  const whole = linesOf([SAMPLE]);
  for (let at = 0; at <= SAMPLE.length; at++)
    expect(linesOf([SAMPLE.subarray(0, at), SAMPLE.subarray(at)])).toEqual(whole);
});

it("gives the same lines for any chunks and any line lengths", { tags: ["partial-line"] }, () => {
  const bytes = fc.array(fc.constantFrom("\n", "\r\n", "x", "é", "👍", "{}", "long ".repeat(9)), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(bytes, fc.array(fc.nat(60), { maxLength: 12 }), (parts, cuts) => {
      const all = Buffer.from(parts.join(""));
      const chunks: Buffer[] = [];
      let from = 0;
      for (const cut of cuts) {
        chunks.push(all.subarray(from, from + cut));
        from = Math.min(all.length, from + cut);
      }
      chunks.push(all.subarray(from));
      expect(linesOf(chunks, 20)).toEqual(linesOf([all], 20));
    }),
    { numRuns: 10_000 },
  );
});

it("skips a line that is too long, with its position and length, and reads the next ones", () => {
  const text = `ok\n${"x".repeat(100)}\nafter\n`;
  expect(linesOf([Buffer.from(text)], 50)).toEqual([
    { number: 1, offset: 0, bytes: "ok" },
    { number: 2, offset: 3, skipped: 100 },
    { number: 3, offset: 104, bytes: "after" },
  ]);
});

it("copies a kept part before the caller reuses its buffer", () => {
  const buffer = Buffer.from("first ha");
  const found: string[] = [];
  const splitter = splitLines();
  const each = (line: Line) => found.push("bytes" in line ? line.bytes.toString() : "skipped");
  splitter.push(buffer, each);
  buffer.fill("#");
  splitter.push(Buffer.from("lf\n"), each);
  expect(found).toEqual(["first half"]);
});

it("keeps no part of a line that is too long", { tags: ["endless-line"] }, () => {
  const megabyte = 1024 * 1024;
  const chunk = Buffer.alloc(megabyte, "a");
  const splitter = splitLines(undefined, megabyte);
  const before = process.memoryUsage().arrayBuffers;
  for (let n = 0; n < 64; n++) splitter.push(chunk, () => undefined);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * megabyte);
  expect(splitter.seen).toBe(64 * megabyte);
});
