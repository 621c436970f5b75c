import { excludedTests } from "./scripts/exclusions.ts";
import { emptyScript, ignoredCodes } from "./scripts/exit-codes.ts";
import { changedSteps, stepsOf } from "./scripts/steps.ts";
import { loweredThresholds } from "./scripts/thresholds.ts";
import type { Sign } from "./signs.ts";
import type { FileChange } from "./warning.ts";

/** Changed check scripts, excluded tests, lowered thresholds and ignored exit codes. */
export function scriptSigns(changes: readonly FileChange[]): readonly Sign[] {
  const relevant = changes.filter(({ before, after }) => before !== after);
  const steps = (side: "before" | "after") =>
    relevant.map((change) => ({ change, steps: stepsOf(change.path, change[side]) }));
  const before = steps("before");
  const after = steps("after");
  const kept = new Map<string, number>();
  for (const { command } of after.flatMap(({ steps: all }) => all))
    kept.set(command, (kept.get(command) ?? 0) + 1);
  const ignored = relevant.flatMap((change) => ignoredCodes(change));
  const isIgnored = new Set(ignored.map(({ file, line }) => `${file}:${line}`));
  const changed = before.flatMap(({ change, steps: all }, index) =>
    changedSteps(change.path, all, after[index]?.steps ?? [], kept, change.after),
  );
  const config = [
    ...excludedTests(relevant),
    ...loweredThresholds(relevant),
    ...relevant.flatMap(emptyScript),
  ];
  const specific = new Set([...isIgnored, ...config.map(({ file, line }) => `${file}:${line}`)]);
  return [
    ...changed.filter(({ file, line }) => line === null || !specific.has(`${file}:${line}`)),
    ...config,
    ...ignored,
  ];
}
