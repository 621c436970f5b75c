export interface PlanStep {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

const STEP = /^\s{0,3}(?:[-*+]\s+\[.\]|\d{1,3}[.)]|[-*+])\s+(\S.*)$/;

/** The steps of a plan. */
export function stepsOf(markdown: string): readonly PlanStep[] {
  return markdown
    .split("\n")
    .flatMap((line) => STEP.exec(line)?.[1] ?? [])
    .map((text, index) => ({ number: index + 1, text }));
}
