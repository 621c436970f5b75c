import { isFence, isHeading, locatedSteps, type PlanStep, plainLine } from "./steps.ts";

/** A plan in parts that can be compared. All texts are plain. */
export interface PlanOutline {
  /** The text before the first step. */
  readonly intro: string;
  readonly steps: readonly OutlineStep[];
  /** The text after the steps, and headings between them. */
  readonly rest: string;
}

export interface OutlineStep extends PlanStep {
  /** The lines below the step that explain it. */
  readonly detail: string;
}

const SEPARATOR = " \u00b7 ";

export function planOutline(markdown: string): PlanOutline {
  const steps = locatedSteps(markdown);
  const starts = new Map(steps.map((step) => [step.line, step]));
  const details = new Map<number, string[]>();
  const intro: string[] = [];
  const rest: string[] = [];
  let current: number | undefined;
  let fenced = false;
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const step = starts.get(index);
    if (step) {
      current = step.number;
      continue;
    }
    if (isFence(line)) {
      fenced = !fenced;
      continue;
    }
    // Another heading ends the step above it.
    if (!fenced && isHeading(line)) current = undefined;
    const text = fenced ? line.trim() : plainLine(line);
    if (text === "") continue;
    if (current === undefined)
      (details.size + steps.length > 0 && index > (steps[0]?.line ?? index) ? rest : intro).push(
        text,
      );
    else if (details.get(current)?.push(text) === undefined) details.set(current, [text]);
  }
  return {
    intro: intro.join(" "),
    steps: steps.map(({ number, text }) => ({
      number,
      text,
      detail: (details.get(number) ?? []).join(SEPARATOR),
    })),
    rest: rest.join(" "),
  };
}
