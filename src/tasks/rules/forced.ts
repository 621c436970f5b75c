/** Evidence that a finish was forced, so that it is in the history and on the task. */
const FORCED = "Forced: ";

/** The evidence of a finish that was forced against these facts, e.g. `it was not claimed`. */
export function forcedEvidence(facts: readonly string[]): readonly string[] {
  return facts.map((fact) => `${FORCED}${fact}`);
}

/** The facts that a finish was forced against. */
export function forcedFacts(evidence: readonly string[]): readonly string[] {
  return evidence
    .filter((each) => each.startsWith(FORCED))
    .map((each) => each.slice(FORCED.length));
}
