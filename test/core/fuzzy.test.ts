import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fuzzyMatch } from "../../src/core/text/fuzzy.ts";
import { CODE_POINT } from "../code-point.ts";

const TITLE = "Make refunds idempotent";

/** The text with the matching letters in brackets. */
function marked(term: string, text: string): string | undefined {
  const match = fuzzyMatch(term, text);
  if (!match) return undefined;
  const at = new Set(match.positions);
  return Array.from(text)
    .map((character, index) => (at.has(index) ? `[${character}]` : character))
    .join("")
    .replaceAll("][", "");
}

describe("fuzzyMatch", () => {
  test.each([
    ["refu", TITLE, "Make [refu]nds idempotent"],
    ["REFU", TITLE, "Make [refu]nds idempotent"],
    ["fund", TITLE, "Make re[fund]s idempotent"],
    ["mri", TITLE, "[M]ake [r]efunds [i]dempotent"],
    ["rfnds", TITLE, "Make [r]e[f]u[nds] idempotent"],
    ["refu", "Recheck the failed upload job", "[Re]check the [f]ailed [u]pload job"],
    ["api", "ledger-api", "ledger-[api]"],
    ["la", "ledger-api", "[l]edger-[a]pi"],
    ["the", "other the", "other [the]"],
    ["uber", "Über 棚", "[Über] 棚"],
    ["棚", "Fill the 棚", "Fill the [棚]"],
    ["", TITLE, TITLE],
  ])("%j matches %j", (term, text, wanted) => {
    expect(marked(term, text)).toBe(wanted);
  });

  test.each([
    ["refund", "Run the funds"],
    ["xyz", TITLE],
    ["kfi", TITLE],
    ["makes", TITLE],
    ["a", ""],
  ])("%j does not match %j", (term, text) => {
    expect(fuzzyMatch(term, text)).toBeUndefined();
  });

  test("prefers whole words, then starts of words, then letters", () => {
    const texts = ["fix rough ends of upgrades", "the prefunded one", "refunds"];
    const scores = texts.map((text) => fuzzyMatch("refu", text)?.score ?? -1);
    expect(scores[2]).toBeGreaterThan(scores[1] ?? 0);
    const initials = fuzzyMatch("mri", TITLE)?.score ?? 0;
    expect(initials).toBeGreaterThan(fuzzyMatch("mri", "a marrying")?.score ?? 0);
  });

  test("matches every part of a text, and only letters of the term", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: CODE_POINT, maxLength: 80 }),
        fc.nat(80),
        fc.nat(20),
        (text, from, length) => {
          const part = Array.from(text).slice(from, from + length);
          const match = fuzzyMatch(part.join(""), text);
          expect(match).toBeDefined();
          expect(match?.positions.length).toBe(part.length);
          const all = match?.positions ?? [];
          expect([...all].sort((a, b) => a - b)).toEqual(all);
        },
      ),
    );
  });

  test("takes no long time for repeated letters", () => {
    const begun = performance.now();
    for (let round = 0; round < 20; round++)
      fuzzyMatch(`${"ab".repeat(29)}c`, "a b ab ".repeat(60));
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
