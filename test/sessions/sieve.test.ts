import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Needle } from "../../src/agents/agent.ts";
import { DECODERS } from "../../src/agents/index.ts";
import { openSieve, type Sieve, scalarSieve } from "../../src/sessions/transcripts/scan/sieve.ts";
import { CODE_POINT } from "../code-point.ts";

const SIZE = 256 * 1024;
const swift = openSieve(SIZE);
const plain = scalarSieve(SIZE);

/** All matches of a sieve in a text at an offset of its buffer, and the lines of the text. */
function found(
  sieve: Sieve,
  text: string,
  needles: readonly Needle[],
  wanted: readonly string[] = [],
): { readonly lines: ReadonlySet<number>; readonly count: number } {
  const length = sieve.buffer.write(text, "utf8");
  const finder = sieve.finder(needles, () => wanted);
  finder.begin(length);
  const lines = new Set<number>();
  for (let at = finder.next(0); at < length; at = finder.next(at + 1))
    lines.add(finder.lines(0, at));
  return { lines, count: finder.lines(0, length) };
}

test("has a module that matches its source", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/wat.mjs", "--check"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

test("runs on a machine with SIMD", () => {
  // The buffer of the SIMD sieve follows its tables.
  expect([swift.buffer.byteOffset, plain.buffer.byteOffset]).toEqual([128, 0]);
});

describe("the sieve", () => {
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("T", "o", "d", '"', "_", "Mo", "\n", "\n", "é", " ") },
    { weight: 1, arbitrary: fc.constantFrom("Todo", "Task", "Mode", "plan_", "kUp", "x") },
    { weight: 1, arbitrary: fc.string({ unit: CODE_POINT, maxLength: 3 }) },
  );
  const text = fc
    .array(piece, { minLength: 10, maxLength: 200, size: "max" })
    .map((parts) => parts.join(""));
  const word = fc
    .array(fc.constantFrom("T", "o", "d", '"', "_", "Mo", "Task", "plan"), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join(""));
  const needle: fc.Arbitrary<Needle> = fc.oneof(
    { weight: 4, arbitrary: word },
    { weight: 1, arbitrary: fc.tuple(word, word) },
  );

  test("finds the same lines as one search per needle", () => {
    let lines = 0;
    fc.assert(
      fc.property(
        text,
        fc.array(needle, { maxLength: 14 }),
        fc.array(fc.oneof(word, fc.constant("päper/7")), { maxLength: 5 }),
        (given, needles, wanted) => {
          const expected = found(plain, `${given}\n`, needles, wanted);
          expect(found(swift, `${given}\n`, needles, wanted)).toEqual(expected);
          lines += expected.lines.size;
        },
      ),
      { numRuns: 500 },
    );
    expect(lines).toBeGreaterThan(2_000);
  });

  test("finds a needle at every offset of the buffer", () => {
    for (const { needles } of DECODERS) {
      const [first = "needle"] = needles;
      const words = typeof first === "string" ? [first] : first;
      for (let before = 0; before < 70; before++) {
        const line = `${"-".repeat(before)}${words.join(" ")}`;
        const { lines } = found(swift, `${line}\n`, [...needles, "needle"]);
        expect([before, lines]).toEqual([before, new Set([0])]);
      }
    }
  });

  test("does not find earlier content of the buffer", () => {
    found(swift, `${"-".repeat(100)}TodoWrite\n`, []);
    const { lines } = found(swift, `${"-".repeat(98)}\n`, ["TodoWrite", "-T"]);
    expect(lines).toEqual(new Set());
  });

  test("counts the lines of long texts", () => {
    const text = Array.from({ length: 3_000 }, (_, at) => "x".repeat(at % 60)).join("\n");
    expect(found(swift, text, []).count).toBe(2_999);
    expect(found(swift, "\n".repeat(9_000), []).count).toBe(9_000);
  });
});
