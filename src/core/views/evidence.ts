import type { TamperWarning } from "../checks/tamper/warning.ts";
import type { Todo } from "../model.ts";

/** The levels of evidence, strongest first. */
export const EVIDENCE_LEVELS = ["reproduced", "verified", "reported", "unverified"] as const;
/**
 * The evidence for a completed todo: `reproduced` if Waymark ran a check that passed, `verified` by a check
 * that was seen to pass after the last edit, `reported` with a reference from its author, `unverified` if
 * none of them.
 */
export type EvidenceLevel = (typeof EVIDENCE_LEVELS)[number];

type Backing = Pick<Todo, "check" | "evidence" | "proof">;

/**
 * The evidence level of a completed todo. A run of Waymark outweighs a check that the agent ran before it,
 * also once it is out of date: the files changed after both.
 *
 * @param todo the proof, the check and the references of the todo
 * @returns `reproduced`, `verified`, `reported` or `unverified`
 */
export function evidenceLevelOf({ check, evidence, proof }: Backing): EvidenceLevel {
  if (proof?.ok && proof.staleEdits === undefined) return "reproduced";
  const isOutweighed = proof !== undefined && check !== undefined && check.at <= proof.at;
  if (check && !isOutweighed) return "verified";
  return evidence?.length ? "reported" : "unverified";
}

/** The warnings of the evidence that the user has not accepted: of Waymark's own run, otherwise of the check. */
export function openWarnings({
  check,
  proof,
}: Pick<Todo, "check" | "proof">): readonly TamperWarning[] {
  if (proof?.ok && !proof.accepted && proof.warnings.length > 0) return proof.warnings;
  // Waymark compares the files themselves, which is more than the edits show.
  const isNewer = proof?.ok === true && check !== undefined && check.at <= proof.at;
  return isNewer ? [] : (check?.warnings ?? []);
}

/** Whether the evidence has warnings that the user has not accepted. */
export function isWarned(todo: Pick<Todo, "check" | "proof">): boolean {
  return openWarnings(todo).length > 0;
}

/** Whether a completion counts as proven: verified or reproduced, without open warnings. */
export function isProven(todo: Backing): boolean {
  const level = evidenceLevelOf(todo);
  return (level === "reproduced" || level === "verified") && !isWarned(todo);
}

/** The counts that are not 0, such as `5 verified`, `1 reported`, `2 unverified`. */
export function evidenceFacts(
  counts: Readonly<Partial<Record<EvidenceLevel, number>>>,
  levels: readonly EvidenceLevel[] = EVIDENCE_LEVELS,
): readonly string[] {
  return levels.filter((level) => counts[level]).map((level) => `${counts[level]} ${level}`);
}
