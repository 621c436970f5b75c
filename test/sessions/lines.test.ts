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

const textsIn = (splitter: ReturnType<typeof splitLines>, chunk: string) => {
  const found: unknown[] = [];
  splitter.push(Buffer.from(chunk), (line) =>
    found.push("bytes" in line ? { ...line, bytes: line.bytes.toString() } : line),
  );
  const { offset, count, seen } = splitter;
  return { found, offset, count, seen };
};

it("continues at a position, within a line that is already too long", () => {
  const splitter = splitLines({ offset: 100, count: 7, seen: 30 }, 20);
  expect(textsIn(splitter, "abc\nde\nf")).toEqual({
    found: [
      { number: 8, offset: 100, skipped: 33 },
      { number: 9, offset: 134, bytes: "de" },
    ],
    offset: 137,
    count: 9,
    seen: 0,
  });
});

it("keeps a line of the maximum length, and skips one byte more", () => {
  const splitter = splitLines(undefined, 4);
  expect(textsIn(splitter, "1234\n12345\n123\r\n1234\r\n\r\n1234")).toEqual({
    found: [
      { number: 1, offset: 0, bytes: "1234" },
      { number: 2, offset: 5, skipped: 5 },
      { number: 3, offset: 11, bytes: "123" },
      { number: 4, offset: 16, skipped: 5 },
      { number: 5, offset: 22, bytes: "" },
    ],
    offset: 24,
    count: 5,
    seen: 0,
  });
  expect(textsIn(splitter, "5")).toEqual({ found: [], offset: 24, count: 5, seen: 5 });
});

it("can be asked for the incomplete line at any time", () => {
  const splitter = splitLines();
  expect(splitter.rest()).toBeUndefined();
  expect(textsIn(splitter, "one\ntw").found).toHaveLength(1);
  const rest = { number: 2, offset: 4, bytes: Buffer.from("tw") };
  expect([splitter.rest(), splitter.rest()]).toEqual([rest, rest]);
  expect(textsIn(splitter, "o\n")).toEqual({
    found: [{ number: 2, offset: 4, bytes: "two" }],
    offset: 8,
    count: 2,
    seen: 0,
  });
  expect(splitter.rest()).toBeUndefined();
});

it("does not copy the last chunk", () => {
  const chunk = Buffer.from("a\nlast");
  const splitter = splitLines();
  splitter.push(chunk, () => undefined, true);
  chunk.fill("#");
  expect(splitter.rest()).toEqual({ number: 2, offset: 2, bytes: Buffer.from("####") });
});
