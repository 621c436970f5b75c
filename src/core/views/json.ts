import type { Proof } from "../checks/proof.ts";
import type { Check, RefusedWrite, Todo, Track } from "../model.ts";
import { type EvidenceLevel, evidenceLevelOf } from "./evidence.ts";
import { currentOf, isFinished, nextOf, type Progress, progressOf } from "./view.ts";

/** A time in ISO 8601; null if it is out of range, as in some records of other programs. */
export function isoTime(at: number): string | null {
  return at > 0 && at <= 8.64e15 ? new Date(at).toISOString() : null;
}

type IsoTimes<T> = {
  readonly [F in keyof T]: F extends (typeof TIMES)[number]
    ? Extract<T[F], null | undefined> | string | null
    : T[F];
};
const TIMES = [
  "at",
  "createdAt",
  "startedAt",
  "updatedAt",
  "claimedAt",
  "leaseUntil",
  "finishedAt",
  "notBefore",
  "deadline",
] as const;

/** The same object with its times in ISO 8601; fields of its own objects stay as they are. */
export function withIsoTimes<T extends object>(value: T): IsoTimes<T> {
  const times = TIMES.flatMap((field) => {
    const at: unknown = (value as Record<string, unknown>)[field];
    return typeof at === "number" ? [[field, isoTime(at)]] : [];
  });
  return { ...value, ...Object.fromEntries(times) } as IsoTimes<T>;
}

/** The JSON form of a proof, without the output. */
export type ProofForm = IsoTimes<Omit<Proof, "output" | "edits">>;

/** The JSON form of the evidence for a todo. */
export interface EvidenceForm {
  readonly level: Exclude<EvidenceLevel, "unverified"> | "none";
  /** References from the author: paths, URLs, notes. */
  readonly references: readonly string[];
  /** The check that was seen to pass. */
  readonly check?: IsoTimes<Check>;
  /** The last run of an approved check by Waymark. */
  readonly proof?: ProofForm;
}

/** The JSON form of a todo. */
export type TodoForm = IsoTimes<Omit<Todo, "evidence" | "proof" | "check">> & {
  readonly check?: IsoTimes<Check>;
  readonly evidence: EvidenceForm;
};

export function todoForm(given: Todo): TodoForm {
  const { evidence: _, proof: __, check, ...todo } = given;
  return {
    ...withIsoTimes(todo),
    ...(check && { check: withIsoTimes(check) }),
    evidence: evidenceForm(given),
  };
}

function evidenceForm(todo: Pick<Todo, "evidence" | "check" | "proof">): EvidenceForm {
  const { evidence = [], check, proof } = todo;
  const level = evidenceLevelOf(todo);
  return {
    level: level === "unverified" ? "none" : level,
    references: evidence,
    ...(check && { check: withIsoTimes(check) }),
    ...(proof && { proof: proofForm(proof) }),
  };
}

function proofForm({ output: _, edits: __, ...proof }: Proof): ProofForm {
  return withIsoTimes(proof);
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
  readonly refused?: IsoTimes<RefusedWrite>;
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
    ...(refused && { refused: withIsoTimes(refused) }),
    ...(explanation !== undefined && { explanation }),
  };
}
