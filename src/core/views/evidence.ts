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
 * The evidence level of a completed todo. A failed run of Waymark outweighs a check that the agent ran
 * before. A run that is out of date no longer counts.
 *
 * @param todo the proof, the check and the references of the todo
 * @returns `reproduced`, `verified`, `reported` or `unverified`
 */
export function evidenceLevelOf({ check, evidence, proof }: Backing): EvidenceLevel {
  const isCurrent = proof !== undefined && proof.staleEdits === undefined;
  if (isCurrent && proof.ok) return "reproduced";
  const hasFailed = isCurrent && check !== undefined && check.at <= proof.at;
  if (check && !hasFailed) return "verified";
  return evidence?.length ? "reported" : "unverified";
}

/** Whether the proof has warnings that the user has not accepted. */
export function isWarned({ proof }: Pick<Todo, "proof">): boolean {
  return proof?.ok === true && proof.warnings.length > 0 && !proof.accepted;
}

/** Whether a completion counts as proven: verified or reproduced, without open warnings. */
export function isProven(todo: Backing): boolean {
  const level = evidenceLevelOf(todo);
  return (level === "reproduced" || level === "verified") && !isWarned(todo);
}

/** How many completed todos have each evidence level. */
export function evidenceCounts(
  todos: readonly (Pick<Todo, "status"> & Backing)[],
): Readonly<Record<EvidenceLevel, number>> {
  const counts = { reproduced: 0, verified: 0, reported: 0, unverified: 0 };
  for (const todo of todos) if (todo.status === "completed") counts[evidenceLevelOf(todo)]++;
  return counts;
}

/** The counts that are not 0, such as `5 verified`, `1 reported`, `2 unverified`. */
export function evidenceFacts(
  counts: Readonly<Partial<Record<EvidenceLevel, number>>>,
  levels: readonly EvidenceLevel[] = EVIDENCE_LEVELS,
): readonly string[] {
  return levels.filter((level) => counts[level]).map((level) => `${counts[level]} ${level}`);
}
