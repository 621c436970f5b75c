import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffPlans, hasDifferences, stepsAfter } from "../../../src/core/plan/diff.ts";
import { planOutline } from "../../../src/core/plan/outline.ts";
import { stepsOf } from "../../../src/core/plan/steps.ts";
import { type WordSpan, wordDiff } from "../../../src/core/plan/words.ts";

const shown = (words: readonly WordSpan[]) =>
  words
    .map(({ kind, text }) =>
      kind === "same"
        ? text
        : `${kind === "added" ? "{+" : "[-"}${text.trim()}${kind === "added" ? "+}" : "-]"}`,
    )
    .join("|");

const rows = (before: string, after: string) =>
  diffPlans(before, after).steps.map(
    ({ kind, from = "", to = "", words, moved }) =>
      `${from}>${to} ${kind}${moved ? " moved" : ""}: ${shown(words)}`,
  );

const BEFORE = `# Guests
Guests pay with an email address only. Accounts are created in the background.

1. Split CheckoutForm into address and payment
   - src/checkout
2. Allow an order without a user
3. Create an account for every guest in the background
4. Send the receipt to the account's address
5. Offer an account after the payment, not before
6. Prove it: a guest order from cart to receipt, end to end

## Risks
None.
`;
const AFTER = `# Guests
Guests pay with an email address only. Accounts stay as they are.

1. Split CheckoutForm into address and payment
   - src/checkout
2. Allow an order without a user and keep the old foreign key
   - migrations/0051_guest_orders.sql
3. Send the receipt to the address on the order
4. Offer an account after the payment, not before
5. Add a rate limit for guest payments: 5 per address and hour
6. Prove it: a guest order from cart to receipt, end to end

## Risks
The reports.
`;

describe("the differences between two revisions of a plan", () => {
  test("are added, removed, changed and unchanged steps, and changed prose", () => {
    const diff = diffPlans(BEFORE, AFTER);
    expect(rows(BEFORE, AFTER)).toEqual([
      "1>1 same: Split CheckoutForm into address and payment",
      "2>2 changed: Allow an order without a user |{+and keep the old foreign key+}",
      "3> removed: [-Create an account for every guest in the background-]",
      "4>3 changed: Send the receipt to the |[-account's-]|address |{+on the order+}",
      "5>4 same: Offer an account after the payment, not before",
      ">5 added: {+Add a rate limit for guest payments: 5 per address and hour+}",
      "6>6 same: Prove it: a guest order from cart to receipt, end to end",
    ]);
    expect(diff.counts).toEqual({ added: 1, removed: 1, changed: 2, moved: 0, unchanged: 3 });
    expect(shown(diff.intro)).toContain(
      "Accounts |{+stay as they+}|are |[-created in the background-]|.",
    );
    expect(shown(diff.steps[1]?.detail ?? [])).toBe("{+migrations/0051_guest_orders.sql+}");
    expect(shown(diff.rest)).toContain("[-None-]|{+The reports+}");
  });

  test("name moved steps, by the fewest moves", () => {
    const before = "1. alpha one\n2. beta two\n3. gamma three\n4. delta four";
    const after = "1. delta four\n2. alpha one\n3. beta two\n4. gamma three";
    expect(rows(before, after)).toEqual([
      "4>1 same moved: delta four",
      "1>2 same: alpha one",
      "2>3 same: beta two",
      "3>4 same: gamma three",
    ]);
    expect(diffPlans(before, after).counts).toMatchObject({ moved: 1, unchanged: 3 });
  });

  test("match steps by their ids before their words", () => {
    const before = "1. [a1] Write the parser\n2. [b1] Write the printer";
    const after = "1. [b1] Write the parser\n2. [a1] Something else";
    expect([...stepsAfter(before, after)]).toEqual([
      [1, 2],
      [2, 1],
    ]);
    expect(rows("1. S1: x y z\n", "1. S2: x y z\n").map((row) => row.split(":")[0])).toEqual([
      ">1 added",
      "1> removed",
    ]);
  });

  test("see the text of plans without steps", () => {
    const diff = diffPlans("We will do it.", "We will not do it.");
    expect(shown(diff.intro)).toBe("We will |{+not+}|do it.");
    expect(hasDifferences(diff)).toBe(true);
    expect(hasDifferences(diffPlans(BEFORE, BEFORE))).toBe(false);
  });

  test("are complete: what is kept and added is the later text", () => {
    const line = fc.constantFrom("alpha", "beta gamma", "beta delta", "[x1] eta", "a, b: c.");
    const plan = fc
      .array(line, { maxLength: 8 })
      .map((lines) => lines.map((text, index) => `${index + 1}. ${text}`).join("\n"));
    const side = (words: readonly WordSpan[], without: WordSpan["kind"]) =>
      words
        .filter(({ kind }) => kind !== without)
        .map(({ text }) => text)
        .join("")
        .replace(/\s+/g, "");
    fc.assert(
      fc.property(plan, plan, (before, after) => {
        const { steps, counts } = diffPlans(before, after);
        const later = steps.filter(({ to }) => to !== undefined);
        expect(later.map(({ to }) => to)).toEqual(stepsOf(after).map(({ number }) => number));
        expect(later.map(({ words }) => side(words, "removed"))).toEqual(
          stepsOf(after).map(({ text }) => text.replace(/\s+/g, "")),
        );
        const earlier = steps.filter(({ from }) => from !== undefined);
        expect(earlier.map(({ from }) => from).sort((a = 0, b = 0) => a - b)).toEqual(
          stepsOf(before).map(({ number }) => number),
        );
        expect(counts.added).toBe(later.length - (earlier.length - counts.removed));
        for (const { words, from } of earlier)
          expect(side(words, "added")).toBe(
            stepsOf(before)[(from ?? 1) - 1]?.text.replace(/\s+/g, ""),
          );
      }),
    );
  });

  test("of long plans are found in bounded time", () => {
    const long = (word: string) =>
      Array.from({ length: 999 }, (_, index) => `${index + 1}. ${word} ${index * 7}`).join("\n");
    const started = performance.now();
    expect(diffPlans(long("alpha"), long("omega")).counts.changed).toBe(999);
    expect(wordDiff("a ".repeat(5_000), "b ".repeat(5_000))).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

test("an outline puts each line into one part", () => {
  expect(
    planOutline("Intro\n\n## Steps\n1. One\n   more\n```\n# code\n```\n2. Two\n## Later\nEnd"),
  ).toEqual({
    intro: "Intro Steps",
    steps: [
      { number: 1, text: "One", detail: "more \u00b7 # code" },
      { number: 2, text: "Two", detail: "" },
    ],
    rest: "Later End",
  });
});
