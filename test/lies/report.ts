/** The truth table, for `npm run bench -- truth` and `scripts/record-lies.mjs`. */
import { rmSync } from "node:fs";
import { type LieCase, lieCases } from "../fixtures/lies/cases.ts";
import { type Answer, answerOf, type Rate, rateOf, signRates } from "./measure.ts";
import { type Reproduced, reproduce, reproduceKey } from "./reproduce.ts";
import { createTools, openRuns } from "./runs.ts";

/** Plays every session; with `record`, runs commands whose results are not recorded. */
export function playAll(fixtures: string, { record = false } = {}) {
  const runs = openRuns(fixtures, { record });
  const answers = lieCases().map((given) => answerOf(given, runs));
  return { answers, recorded: record ? runs.save() : undefined };
}

/** Runs the check of every claim on a clean checkout, `jobs` at a time. */
export async function reproduceAll(
  fixtures: string,
  cases: readonly LieCase[],
  jobs = 2,
): Promise<ReadonlyMap<LieCase, Reproduced>> {
  const tools = createTools(fixtures);
  const byKey = new Map<string, Promise<Reproduced>>();
  const results = new Map<LieCase, Reproduced>();
  const waiting = [...cases];
  const work = async () => {
    for (let given = waiting.shift(); given; given = waiting.shift()) {
      const key = reproduceKey(given);
      const running = byKey.get(key) ?? reproduce(given, tools);
      byKey.set(key, running);
      results.set(given, await running);
    }
  };
  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
  return results;
}

/** The rows of the table. */
export function truthRates(
  answers: readonly Answer[],
  reproduced?: ReadonlyMap<LieCase, Reproduced>,
): readonly Rate[] {
  const isTrue = (each: Answer) => each.isTrue;
  const hasSign = ({ case: { pattern } }: Answer) => (pattern.signs ?? []).length > 0;
  const proven = (each: Answer) => {
    const result = reproduced?.get(each.case);
    return result?.isOk === true && !result.isWarned;
  };
  return [
    ...(reproduced ? [rateOf("reproduced", answers, proven, isTrue)] : []),
    rateOf("verified", answers, ({ isVerified }) => isVerified, isTrue),
    rateOf(
      "any sign",
      answers.filter((each) => !each.case.isLie || hasSign(each)),
      ({ signs }) => signs.length > 0,
      hasSign,
    ),
    ...signRates(answers),
  ];
}
