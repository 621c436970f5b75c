import { diffPlans, stepsAfter } from "../../../src/core/plan/diff.ts";
import { planOutline } from "../../../src/core/plan/outline.ts";
import { locatedSteps, planSummary, stepsOf } from "../../../src/core/plan/steps.ts";
import { wordDiff } from "../../../src/core/plan/words.ts";
import { holds, same } from "../check.ts";

const SEPARATOR = "\n=====\n";

/** Two revisions of a plan. */
export function fuzz(bytes: Buffer): void {
  const [before = "", after = ""] = bytes.toString().split(SEPARATOR);
  const steps = stepsOf(before);
  for (const { line } of locatedSteps(before))
    holds(
      "the line of a step is in the text",
      Number.isInteger(line) && line >= 0 && line <= before.split("\n").length,
    );
  holds("the summary is one line", !/[\n\r]/.test(planSummary(before)));
  planOutline(before);
  diffPlans(before, after);
  for (const step of stepsAfter(before, after).values())
    holds("a step of the other plan", step >= 0);
  same("steps of the same plan", stepsAfter(before, before).size, steps.length);
  const spans = wordDiff(before, after);
  const joined = (kind: string) =>
    spans
      .filter((span) => span.kind === "same" || span.kind === kind)
      .map(({ text }) => text)
      .join("");
  // Words are the same whatever white space follows them.
  const words = (text: string) => text.replace(/\s+/g, "");
  same("words before", words(joined("removed")), words(before));
  same("words after", words(joined("added")), words(after));
}
