import type { TrackId } from "../model.ts";
import type { Proof } from "./proof.ts";

/** Requests and responses about checks that the page uses. */

/** A check of a repository. */
export interface CheckForm {
  readonly name: string;
  readonly command: string;
  /** The directory in which it runs, relative to the repository; empty for its root. */
  readonly directory: string;
  readonly timeoutMs: number;
  /** Whether it may run: approved by the user, trusted, changed since, or never trusted. */
  readonly trust: "yours" | "trusted" | "changed" | "untrusted";
  /** The file that defines it; absent for checks of the user. */
  readonly file?: string;
  /** Identifies the definition that the user read. */
  readonly hash: string;
  readonly lastRun?: Pick<Proof, "ok" | "exitCode" | "ended" | "at" | "durationMs">;
}

/** The response of `GET /api/tracks/:id/checks`. */
export interface ChecksResponse {
  /** Root of the repository, or the directory outside of git. */
  readonly root: string;
  readonly isRepository: boolean;
  readonly checks: readonly CheckForm[];
  /** Definitions of the repository that cannot be used, with the reason. */
  readonly problems: readonly string[];
  /** A command that may be a good check; nothing runs it by itself. */
  readonly suggestion?: string;
}

/** The body of `POST /api/tracks/:id/checks`. */
export type ChecksRequest =
  | {
      readonly action: "add";
      readonly command: string;
      readonly name?: string;
      /** A duration such as 90s or 10m. */
      readonly timeout?: string;
    }
  /** `hash` is that of the definition that the user read. */
  | { readonly action: "trust"; readonly name: string; readonly hash: string }
  | { readonly action: "remove"; readonly name: string };

/** The body of `POST /api/tracks/:id/verify`. */
export interface VerifyBody {
  /** Id of the todo (default: all completed todos). */
  readonly todo?: string;
  /** Name of the check (default: the only one, or `test`). */
  readonly check?: string;
}

/** A run of a check. The event `verify` has the same form. */
export interface RunStatus {
  readonly run: string;
  readonly id: TrackId;
  readonly todo?: string;
  readonly check: string;
  readonly command: string;
  readonly startedAt: number;
  readonly step: "waiting" | "checkout" | "running" | "ended";
  /** Present when it has ended. */
  readonly result?: RunResultForm;
}

export interface RunResultForm {
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly warnings: number;
  /** Why nothing is proven. */
  readonly reason?: string;
  readonly isCancelled?: true;
}
