import type { Proof } from "../checks/proof.ts";
import type { Check, RefusedWrite, Todo, Track } from "../model.ts";
import { type EvidenceLevel, evidenceLevelOf } from "./evidence.ts";
import { currentOf, isFinished, nextOf, type Progress, progressOf } from "./view.ts";

/** A time in ISO 8601; null if it is out of range, as in some records of other programs. */
export function isoTime(at: number): string | null {
  return at > 0 && at <= 8.64e15 ? new Date(at).toISOString() : null;
}

/** The JSON form of a proof, without the output. */
export type ProofForm = Omit<Proof, "at" | "output" | "edits"> & { readonly at: string | null };

/** The JSON form of the evidence for a todo. */
export interface EvidenceForm {
  readonly level: Exclude<EvidenceLevel, "unverified"> | "none";
  /** References from the author: paths, URLs, notes. */
  readonly references: readonly string[];
  /** The check that was seen to pass. */
  readonly check?: Omit<Check, "at"> & { readonly at: string | null };
  /** The last run of an approved check by Waymark. */
  readonly proof?: ProofForm;
}

/** The JSON form of a todo. */
export type TodoForm = Omit<Todo, "evidence" | "proof"> & { readonly evidence: EvidenceForm };

export function todoForm({ evidence, proof, ...todo }: Todo): TodoForm {
  return {
    ...todo,
    evidence: evidenceForm({ ...todo, ...(evidence && { evidence }), ...(proof && { proof }) }),
  };
}

function evidenceForm(todo: Pick<Todo, "evidence" | "check" | "proof">): EvidenceForm {
  const { evidence = [], check, proof } = todo;
  const level = evidenceLevelOf(todo);
  return {
    level: level === "unverified" ? "none" : level,
    references: evidence,
    ...(check && { check: { ...check, at: isoTime(check.at) } }),
    ...(proof && { proof: proofForm(proof) }),
  };
}

function proofForm({ output: _, edits: __, at, ...proof }: Proof): ProofForm {
  return { ...proof, at: isoTime(at) };
}

/** The JSON form of a list. */
export interface ListForm {
  readonly session: string;
  readonly agent: string;
  readonly todos: readonly TodoForm[];
  readonly progress: Progress;
  readonly current: TodoForm | null;
  readonly next: TodoForm | null;
  readonly finished: boolean;
  readonly version: number;
  /** Present if the agent's last list write was refused. */
  readonly refused?: Omit<RefusedWrite, "at"> & { readonly at: string | null };
  /** The agent's explanation of its last list write. */
  readonly explanation?: string;
}

export function listForm(track: Track): ListForm {
  const { session, agent, version, refused, explanation } = track;
  const todos = track.todos.map(todoForm);
  return {
    session,
    agent,
    todos,
    progress: progressOf(track.todos),
    current: currentOf(todos) ?? null,
    next: nextOf(todos) ?? null,
    finished: isFinished(todos),
    version,
    ...(refused && { refused: { ...refused, at: isoTime(refused.at) } }),
    ...(explanation !== undefined && { explanation }),
  };
}
