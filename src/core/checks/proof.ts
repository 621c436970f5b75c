import type { Activity } from "../activity/activity.ts";
import type { Todo, Track, TrackId } from "../model.ts";
import type { TamperWarning } from "./tamper/warning.ts";

/** One run of an approved check by Waymark. */
export interface Proof {
  /** Name of the check. */
  readonly check: string;
  readonly command: string;
  /** Whether the check passed. */
  readonly ok: boolean;
  /** Null if the command did not exit by itself; `ended` says why. */
  readonly exitCode: number | null;
  /**
   * Why it did not exit by itself, or why its exit code of 0 proves nothing: the runner reports that no
   * test ran, or that tests failed.
   */
  readonly ended?:
    | "timeout"
    | "output"
    | "disk"
    | "signal"
    | "cancelled"
    | "no_tests"
    | "reported_failure";
  /** When the files were copied: later edits are not covered. */
  readonly at: number;
  readonly durationMs: number;
  /** Hash of the git tree that was checked; empty outside git. */
  readonly tree: string;
  /** Outside git, the check runs in the working directory itself. */
  readonly inPlace?: true;
  readonly machine: string;
  /** Signs that the checks were made weaker since the todo was started. */
  readonly warnings: readonly TamperWarning[];
  /** The user accepted the warnings. */
  readonly accepted?: true;
  /** The last 50 lines of output. External text: encode it for its sink. */
  readonly output: string;
  /** Number of edits of the session at `at`, if it was known. */
  readonly edits?: number;
  /** Present if files were or may have been edited after `at`: the number of edits, 0 if it is not known. */
  readonly staleEdits?: number;
}

/** A proof as it is stored, with the todo or task it belongs to. */
export interface ProofRecord extends Proof {
  readonly id: TrackId;
  readonly todo?: { readonly id: string; readonly text: string };
  readonly task?: string;
}

/** Adds the newest proof of each todo. Records are in the order in which they were stored. */
export function withProofs(
  track: Track,
  records: readonly ProofRecord[],
  activity: Activity | undefined = track.activity,
): Track {
  const own = records.filter(
    ({ id, todo }) => todo && id.session === track.session && id.agent === track.agent,
  );
  if (own.length === 0) return track;
  return { ...track, todos: track.todos.map((todo) => withProof(todo, own, activity)) };
}

function withProof(
  todo: Todo,
  records: readonly ProofRecord[],
  activity: Activity | undefined,
): Todo {
  // Ids of a list that was read only in part may differ; a reworded todo is another one.
  const record = records.findLast(({ todo: proven }) => proven?.text === todo.text);
  if (!record) return todo;
  const { id: _, todo: __, task: ___, ...proof } = record;
  const { edits, unreadUntil = 0 } = activity ?? {};
  if (!edits || edits.at <= proof.at) {
    const mayBeStale = unreadUntil > proof.at;
    return { ...todo, proof: mayBeStale ? { ...proof, staleEdits: 0 } : proof };
  }
  const staleEdits = proof.edits === undefined ? 0 : Math.max(0, edits.count - proof.edits);
  return { ...todo, proof: { ...proof, staleEdits } };
}
