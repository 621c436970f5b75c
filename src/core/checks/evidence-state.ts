import type { Todo } from "../model.ts";
import { counted } from "../text/count.ts";
import { type EvidenceLevel, evidenceLevelOf, isWarned } from "../views/evidence.ts";
import type { Proof } from "./proof.ts";

/** The states of evidence, proven ones first. */
export const EVIDENCE_STATES = [
  "reproduced",
  "verified",
  "reported",
  "unverified",
  "stale",
  "warned",
  "failed",
] as const satisfies readonly (EvidenceLevel | "stale" | "warned" | "failed")[];
/**
 * The evidence for a completed todo as surfaces show it: its level, or why a run of Waymark does not count.
 * `stale` if files changed after it, `warned` if the checks were made weaker, `failed` if the check failed.
 */
export type EvidenceState = (typeof EVIDENCE_STATES)[number];

type Backing = Pick<Todo, "check" | "evidence" | "proof">;

/** The evidence state of a completed todo. Exactly the proven ones (`isProven`) are `reproduced` or `verified`. */
export function evidenceStateOf(todo: Backing): EvidenceState {
  const { proof } = todo;
  const level = evidenceLevelOf(todo);
  if (level === "reproduced" || level === "verified") return isWarned(todo) ? "warned" : level;
  if (proof && !proof.ok && proof.staleEdits === undefined) return "failed";
  return isStale(todo) ? "stale" : level;
}

/** Whether Waymark ran the check with success, and files changed after that. */
function isStale({ proof }: Pick<Todo, "proof">): boolean {
  return proof?.ok === true && proof.staleEdits !== undefined;
}

/** How many completed todos have each evidence state. */
export function evidenceStates(
  todos: readonly (Pick<Todo, "status"> & Backing)[],
): Readonly<Partial<Record<EvidenceState, number>>> {
  const counts: Partial<Record<EvidenceState, number>> = {};
  for (const todo of todos) {
    if (todo.status !== "completed") continue;
    const state = evidenceStateOf(todo);
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** How many todos are done: completed, without those whose check failed. */
export function doneCount(todos: readonly (Pick<Todo, "status"> & Backing)[]): number {
  return todos.filter((todo) => todo.status === "completed" && evidenceStateOf(todo) !== "failed")
    .length;
}

/** The counts that are not 0, such as `2 reproduced`, `1 stale`, `1 warning`. */
export function stateFacts(
  counts: Readonly<Partial<Record<EvidenceState, number>>>,
  states: readonly EvidenceState[] = EVIDENCE_STATES,
): readonly string[] {
  return states.flatMap((state) => {
    const count = counts[state] ?? 0;
    if (count === 0) return [];
    if (state === "warned") return [counted(count, "warning")];
    return [state === "failed" ? counted(count, "failed check") : `${count} ${state}`];
  });
}

/** `stale since 3 edits`; the number of edits is not always known. */
export function staleText({ staleEdits = 0 }: Pick<Proof, "staleEdits">): string {
  return staleEdits > 0
    ? `stale since ${counted(staleEdits, "edit")}`
    : "stale, files may have changed";
}

type ProofResult = "passed" | "failed" | (typeof ENDINGS)[keyof typeof ENDINGS];

/** How a check ended: `passed`, `failed`, `timed out`. */
export function proofResult({ ok, ended }: Pick<Proof, "ok" | "ended">): ProofResult {
  if (ok) return "passed";
  return ended === undefined ? "failed" : ENDINGS[ended];
}

const ENDINGS = {
  timeout: "timed out",
  output: "printed too much",
  disk: "filled the disk",
  signal: "was killed",
  cancelled: "was cancelled",
  no_tests: "ran no tests",
  reported_failure: "reported failures",
} as const satisfies Record<NonNullable<Proof["ended"]>, string>;

/** The evidence of a finished list in a few words: `all reproduced`, `nothing verified`; undefined if it is mixed. */
export function finishedEvidence(
  todos: readonly (Pick<Todo, "status"> & Backing)[],
): string | undefined {
  const { reproduced = 0, verified = 0, ...others } = evidenceStates(todos);
  const rest = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (reproduced + verified === 0) return rest === 0 ? undefined : "nothing verified";
  if (rest > 0) return undefined;
  if (verified === 0) return "all reproduced";
  return reproduced === 0 ? "all verified" : "all proven";
}
