/**
 * checks: checks that a user approved, and their runs. `definitions` reads and approves them, `verify` runs one on a
 * clean checkout and records the result, `proofs` keeps the results, `run/` starts and ends processes. `request` has the
 * types that callers use.
 */
import type { Proof, ProofRecord } from "../core/checks/proof.ts";
import type { TamperWarning } from "../core/checks/tamper.ts";
import type { Todo, TrackId } from "../core/model.ts";
import type { EvidenceLevel } from "../core/views/evidence.ts";
import type { ProofHome } from "./proofs.ts";

/** The home and the environment of the caller. */
export interface ChecksContext {
  readonly home: ProofHome;
  /** The environment that a check inherits, without the secrets of agents. */
  readonly env: NodeJS.ProcessEnv;
}

/** A todo that a run is to prove. The whole todo may be passed. */
export type TodoToProve = Pick<Todo, "id" | "text"> &
  Partial<Pick<Todo, "startedAt" | "createdAt" | "check" | "evidence">>;

/** Asks for one run of a check. */
export interface VerifyRequest {
  /** A directory of the repository. */
  readonly cwd: string;
  /** The session that the proof belongs to. Without it, todos are not recorded. */
  readonly id?: TrackId;
  readonly todo?: TodoToProve;
  /** More todos that the same run proves. */
  readonly todos?: readonly TodoToProve[];
  /** The team task that the run proves. */
  readonly task?: string;
  /** Name of the check (default: the only one, or `test`). */
  readonly check?: string;
  /** Number of edits of the session so far, if it is known. */
  readonly edits?: number;
  /** Ends the run and its processes. */
  readonly signal?: AbortSignal;
  onProgress?(step: VerifyStep): void;
}

/** A step of a run, for progress lines. */
export type VerifyStep =
  /** Another process runs the same check. */
  | { readonly step: "waiting" }
  | {
      readonly step: "checkout";
      readonly tree: string;
      /** Number of files that differ from the last commit. */
      readonly changed: number;
      readonly durationMs: number;
    }
  | { readonly step: "links"; readonly names: readonly string[]; readonly durationMs: number }
  | {
      readonly step: "started";
      readonly check: string;
      readonly command: string;
      readonly timeoutMs: number;
    }
  /** New lines of output. External text: encode it for its sink. */
  | { readonly step: "output"; readonly lines: readonly string[] }
  | {
      readonly step: "ended";
      readonly ok: boolean;
      readonly exitCode: number | null;
      readonly durationMs: number;
    };

/** Why a check was not run, as a code for programs. */
export type VerifyRefusal = "untrusted" | "cancelled";

/** The result of a run. */
export interface VerifyResult {
  readonly ok: boolean;
  readonly check: string;
  readonly command: string;
  /** Null if the check did not run, or did not exit by itself. */
  readonly exitCode: number | null;
  /** Why it did not exit by itself, or why its exit code of 0 proves nothing. */
  readonly ended?: NonNullable<Proof["ended"]>;
  readonly durationMs: number;
  /** Empty outside git, and if the check did not run. */
  readonly tree: string;
  /** The evidence level of the todo after the run; of several, the weakest. */
  readonly level: EvidenceLevel;
  readonly warnings: readonly TamperWarning[];
  /** The last 50 lines. External text: encode it for its sink. */
  readonly output: string;
  /** Why the todo is not proven, in a sentence. */
  readonly reason?: string;
  readonly refused?: VerifyRefusal;
  /** The check ran in the working directory, because it is outside of git. */
  readonly inPlace?: true;
  /** The recorded proofs, one for each todo or task. */
  readonly proofs: readonly ProofRecord[];
}
