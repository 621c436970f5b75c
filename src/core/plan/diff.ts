import { type OutlineStep, planOutline } from "./outline.ts";
import { similarity, type WordSpan, wordDiff } from "./words.ts";

/** One step in the comparison of two plans. */
export interface StepDiff {
  readonly kind: "same" | "changed" | "added" | "removed";
  /** Its number in the earlier plan. */
  readonly from?: number;
  /** Its number in the later plan. */
  readonly to?: number;
  readonly words: readonly WordSpan[];
  readonly detail: readonly WordSpan[];
  /** Set if its place among the other steps changed: `from` is where it was. */
  readonly moved?: true;
}

/** The differences between two plans. */
export interface PlanDiff {
  readonly intro: readonly WordSpan[];
  /** The steps in the order of the later plan; removed ones at their earlier place. */
  readonly steps: readonly StepDiff[];
  readonly rest: readonly WordSpan[];
  readonly counts: DiffCounts;
}

export interface DiffCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly moved: number;
  readonly unchanged: number;
}

/** Two steps with fewer words in common are different steps. */
const ALIKE = 0.45;
/** With more pairs, only steps at similar places are compared. */
const MAX_PAIRS = 250_000;
const NEAR = 25;

/**
 * Compares two plans step by step. Steps are matched by the id that they begin with, then by equal text, then by the
 * words that they have in common.
 */
export function diffPlans(before: string, after: string): PlanDiff {
  const a = planOutline(before);
  const b = planOutline(after);
  const matched = matchSteps(a.steps, b.steps);
  const steps = stepDiffs(a.steps, b.steps, matched);
  const count = (kind: StepDiff["kind"]) => steps.filter((step) => step.kind === kind).length;
  return {
    intro: wordDiff(a.intro, b.intro),
    steps,
    rest: wordDiff(a.rest, b.rest),
    counts: {
      added: count("added"),
      removed: count("removed"),
      changed: count("changed"),
      moved: steps.filter(({ moved }) => moved).length,
      unchanged: steps.filter(({ kind, moved }) => kind === "same" && !moved).length,
    },
  };
}

/** Whether anything differs. */
export function hasDifferences({ intro, rest, steps }: PlanDiff): boolean {
  const differs = (words: readonly WordSpan[]) => words.some(({ kind }) => kind !== "same");
  return (
    differs(intro) || differs(rest) || steps.some((step) => step.kind !== "same" || step.moved)
  );
}

/** The number of each earlier step in the later plan; removed steps are absent. */
export function stepsAfter(before: string, after: string): ReadonlyMap<number, number> {
  const pairs = matchSteps(planOutline(before).steps, planOutline(after).steps);
  return new Map([...pairs].map(([from, to]) => [from + 1, to + 1]));
}

/** The index of each earlier step in the later plan. */
function matchSteps(
  before: readonly OutlineStep[],
  after: readonly OutlineStep[],
): ReadonlyMap<number, number> {
  const matched = new Map<number, number>();
  const taken = new Set<number>();
  const pair = (from: number, to: number): void => {
    matched.set(from, to);
    taken.add(to);
  };
  const pairBy = (keyOf: (step: OutlineStep) => string | undefined): void => {
    const places = new Map<string, number[]>();
    for (const [to, step] of after.entries()) {
      const key = taken.has(to) ? undefined : keyOf(step);
      if (key !== undefined) places.set(key, [...(places.get(key) ?? []), to]);
    }
    for (const [from, step] of before.entries()) {
      const key = matched.has(from) ? undefined : keyOf(step);
      const to = key === undefined ? undefined : places.get(key)?.shift();
      if (to !== undefined) pair(from, to);
    }
  };
  pairBy(({ text }) => idOf(text));
  pairBy(({ text }) => text);
  const left = before.flatMap((_, from) => (matched.has(from) ? [] : [from]));
  const open = after.flatMap((_, to) => (taken.has(to) ? [] : [to]));
  const isBounded = left.length * open.length <= MAX_PAIRS;
  const scores = left.flatMap((from) =>
    open.flatMap((to) => {
      if (!isBounded && Math.abs(from - to) > NEAR) return [];
      const [one, other] = [before[from]?.text ?? "", after[to]?.text ?? ""];
      // Steps with different ids are different steps.
      if (idOf(one) !== undefined && idOf(other) !== undefined) return [];
      const score = similarity(one, other);
      return score >= ALIKE ? [{ from, to, score }] : [];
    }),
  );
  scores.sort(
    (one, other) =>
      other.score - one.score || Math.abs(one.from - one.to) - Math.abs(other.from - other.to),
  );
  for (const { from, to } of scores) if (!matched.has(from) && !taken.has(to)) pair(from, to);
  return matched;
}

const ID = /^(?:\[([\w.-]{1,20})\]|\(([\w.-]{1,20})\)|([A-Za-z]{1,8}-?\d{1,4}):)\s/;

/** The id that a step begins with: `[db-1] …`, `(T2) …`, `S3: …`. */
function idOf(text: string): string | undefined {
  const found = ID.exec(text);
  return found ? (found[1] ?? found[2] ?? found[3]) : undefined;
}

function stepDiffs(
  before: readonly OutlineStep[],
  after: readonly OutlineStep[],
  matched: ReadonlyMap<number, number>,
): readonly StepDiff[] {
  const origins = new Map([...matched].map(([from, to]) => [to, from]));
  const inOrder = longestRun(after.flatMap((_, to) => origins.get(to) ?? []));
  const diffs: StepDiff[] = [];
  let next = 0;
  const addRemoved = (until: number): void => {
    for (; next < until; next++) {
      const step = before[next];
      if (step && !matched.has(next)) diffs.push(removedStep(step));
    }
  };
  for (const [to, step] of after.entries()) {
    const from = origins.get(to);
    const earlier = from === undefined ? undefined : before[from];
    if (from === undefined || !earlier) {
      diffs.push({
        kind: "added",
        to: step.number,
        words: wordDiff("", step.text),
        detail: wordDiff("", step.detail),
      });
      continue;
    }
    const isMoved = !inOrder.has(from);
    if (!isMoved) addRemoved(from);
    const isSame = earlier.text === step.text && earlier.detail === step.detail;
    diffs.push({
      kind: isSame ? "same" : "changed",
      from: earlier.number,
      to: step.number,
      words: wordDiff(earlier.text, step.text),
      detail: wordDiff(earlier.detail, step.detail),
      ...(isMoved && { moved: true as const }),
    });
  }
  addRemoved(before.length);
  return diffs;
}

function removedStep({ number, text, detail }: OutlineStep): StepDiff {
  return {
    kind: "removed",
    from: number,
    words: wordDiff(text, ""),
    detail: wordDiff(detail, ""),
  };
}

/** The longest increasing subsequence: the steps whose order is unchanged. */
function longestRun(numbers: readonly number[]): ReadonlySet<number> {
  const lengths: number[] = [];
  const previous: number[] = [];
  let best = -1;
  for (const [index, number] of numbers.entries()) {
    lengths[index] = 1;
    previous[index] = -1;
    for (let before = 0; before < index; before++) {
      const length = (lengths[before] ?? 0) + 1;
      if ((numbers[before] ?? 0) < number && length > (lengths[index] ?? 0)) {
        lengths[index] = length;
        previous[index] = before;
      }
    }
    if (best === -1 || (lengths[index] ?? 0) > (lengths[best] ?? 0)) best = index;
  }
  const found = new Set<number>();
  for (let at = best; at !== -1; at = previous[at] ?? -1) found.add(numbers[at] ?? -1);
  return found;
}
