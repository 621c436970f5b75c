import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Needle } from "../../src/agents/agent.ts";
import { DIALECTS } from "../../src/agents/index.ts";
import { openSieve, plainSieve, type Sieve } from "../../src/sessions/transcripts/scan/sieve.ts";
import { CODE_POINT } from "../code-point.ts";

const SIZE = 256 * 1024;
const swift = openSieve(SIZE);
const plain = plainSieve(SIZE);

/** Every place that a sieve finds in a text that stands somewhere in its room, and the lines of it. */
function found(
  sieve: Sieve,
  text: string,
  needles: readonly Needle[],
  wanted: readonly string[] = [],
): { readonly lines: ReadonlySet<number>; readonly count: number } {
  const length = sieve.room.write(text, "utf8");
  const finder = sieve.finder(needles, () => wanted);
  finder.begin(length);
  const lines = new Set<number>();
  for (let at = finder.next(0); at < length; at = finder.next(at + 1))
    lines.add(finder.lines(0, at));
  return { lines, count: finder.lines(0, length) };
}

test("the module is what its source says", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/wat.mjs", "--check"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

test("this machine has vectors, or half of this is not tested", () => {
  // The room of the swift one lies behind its tables.
  expect([swift.room.byteOffset, plain.room.byteOffset]).toEqual([128, 0]);
});

describe("all needles in one pass", () => {
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

  test("the same lines as with one search for each, however many there are", () => {
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

  test("wherever in the room a needle stands", () => {
    for (const { needles } of DIALECTS) {
      const [first = "needle"] = needles;
      const words = typeof first === "string" ? [first] : first;
      for (let before = 0; before < 70; before++) {
        const line = `${"-".repeat(before)}${words.join(" ")}`;
        const { lines } = found(swift, `${line}\n`, [...needles, "needle"]);
        expect([before, lines]).toEqual([before, new Set([0])]);
      }
    }
  });

  test("what lay in the room before is not found", () => {
    found(swift, `${"-".repeat(100)}TodoWrite\n`, []);
    const { lines } = found(swift, `${"-".repeat(98)}\n`, ["TodoWrite", "-T"]);
    expect(lines).toEqual(new Set());
  });

  test("long texts are counted line by line", () => {
    const text = Array.from({ length: 3_000 }, (_, at) => "x".repeat(at % 60)).join("\n");
    expect(found(swift, text, []).count).toBe(2_999);
    expect(found(swift, "\n".repeat(9_000), []).count).toBe(9_000);
  });
});
