import { counted } from "../../text/count.ts";
import { dollarsOf } from "./cost.ts";
import type { Report, ReportWindow } from "./model.ts";

/** Counts of sessions that changed while the user was away. */
export interface AwayCounts extends ReportWindow {
  readonly proven: number;
  readonly unproven: number;
  /** Failed or stuck. */
  readonly stuck: number;
  readonly needsYou: number;
  readonly commits: number;
  /** In dollars; null if it is not known. */
  readonly cost: number | null;
}

export function awayOf(report: Report): AwayCounts {
  const { since, until, sessions, cost, commits } = report;
  const count = (...outcomes: readonly string[]) =>
    sessions.filter(({ outcome }) => outcomes.includes(outcome)).length;
  return {
    since,
    until,
    proven: count("proven"),
    unproven: count("unproven"),
    stuck: count("failed", "stuck"),
    needsYou: count("waiting"),
    commits: commits.length,
    cost: dollarsOf(cost),
  };
}

/** Whether there is nothing to tell. */
export function isQuiet({ proven, unproven, stuck, needsYou, commits }: AwayCounts): boolean {
  return proven + unproven + stuck + needsYou + commits === 0;
}

/** The counts that are not 0: `2 finished and proven`, `1 finished, unproven`, `1 failed or stuck`. */
export function awayFacts(counts: AwayCounts): readonly string[] {
  const { proven, unproven, stuck, needsYou, commits } = counts;
  return [
    ...(stuck > 0 ? [`${stuck} failed or stuck`] : []),
    ...(needsYou > 0 ? [`${needsYou} ${needsYou === 1 ? "waits" : "wait"} for you`] : []),
    ...(proven > 0 ? [`${proven} finished and proven`] : []),
    ...(unproven > 0 ? [`${unproven} finished, unproven`] : []),
    ...(commits > 0 ? [counted(commits, "commit")] : []),
  ];
}
