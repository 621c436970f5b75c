import fc from "fast-check";
import { expect, test } from "vitest";
import { newShortener } from "../../../src/sessions/calls/long-line.ts";

const MARK = "<cut>";

function shorten(text: string, chunk: number, kept: number): string {
  const bytes = Buffer.from(text);
  const shortener = newShortener(MARK, { kept });
  for (let at = 0; at < bytes.length; at += chunk)
    expect(shortener.push(bytes.subarray(at, at + chunk))).toBe(true);
  return shortener.end();
}

const texts = fc.string({
  unit: fc.constantFrom("a", " ", '"', "\\", "\n", "\u00e9", "\u{1f600}", "\u0007", "x"),
  maxLength: 300,
});

test("a shortened line is the same JSON with the middle of long strings left out", () => {
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 8, max: 64 }),
      (text, chunk, kept) => {
        const short = shorten(
          JSON.stringify({ id: "call_1", output: text, ok: true }),
          chunk,
          kept,
        );
        const { id, output, ok } = JSON.parse(short) as Record<string, unknown>;
        expect({ id, ok }).toEqual({ id: "call_1", ok: true });
        const [head = "", ...rest] = String(output).split(MARK);
        if (rest.length === 0) {
          expect(output).toBe(text);
          return;
        }
        const [tail = ""] = rest;
        expect(text.startsWith(head)).toBe(true);
        const end = tail.slice(tail.indexOf(";") + 1);
        expect(text.endsWith(end)).toBe(true);
        const size = (part: string) => Buffer.byteLength(JSON.stringify(part)) - 2;
        expect(Number.parseInt(tail, 10)).toBe(size(text) - size(head) - size(end));
        // An escape sequence or a character at the cut is left out.
        expect(size(head)).toBeLessThanOrEqual(kept);
        expect(size(head)).toBeGreaterThan(kept - 6);
        expect(size(end)).toBeLessThanOrEqual(kept + chunk);
      },
    ),
  );
});

test("a line that stays too long is given up", () => {
  for (const [length, fits] of [
    [100, true],
    [101, false],
  ] as const)
    expect(newShortener(MARK, { kept: 8, most: 100 }).push(Buffer.alloc(length, "1"))).toBe(fits);
});
