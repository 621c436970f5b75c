import type { Proof } from "../core/checks/proof.ts";
import { formatShortDuration } from "../core/text/duration.ts";
import type { KnownCheck } from "./checks.ts";

type Ended = Pick<Proof, "ok" | "exitCode" | "ended">;

const WORDS = {
  timeout: "timed out",
  output: "too much output",
  disk: "disk nearly full",
  signal: "ended by a signal",
  cancelled: "cancelled",
  no_tests: "no test ran",
  reported_failure: "failures reported",
} as const satisfies Record<NonNullable<Proof["ended"]>, string>;

/** How a run ended, in a few words: `exit 1`, `timed out`. */
export function endedWords({ exitCode, ended }: Pick<Ended, "exitCode" | "ended">): string {
  return ended === undefined ? `exit ${exitCode ?? "unknown"}` : WORDS[ended];
}

/** Why a run proves nothing, in a sentence; undefined if the check passed. */
export function failureText(run: Ended, timeoutMs: number): string | undefined {
  if (run.ok) return undefined;
  const limit = formatShortDuration(timeoutMs);
  switch (run.ended) {
    case "timeout":
      return `The check did not end within ${limit}. Its processes were killed.`;
    case "output":
      return "The check wrote more than 64 MiB of output and was ended.";
    case "disk":
      return "The disk is nearly full, so the check was ended.";
    case "signal":
      return "A signal ended the check.";
    case "cancelled":
      return "The check was cancelled.";
    case "no_tests":
      return "The check ended with exit code 0, but its output says that no test ran.";
    case "reported_failure":
      return "The check ended with exit code 0, but its output reports failures.";
    default:
      return `The check ended with exit code ${run.exitCode}.`;
  }
}

/** Why a check of the repository may not run. */
export function untrustedText({ name, file = "the repository", trust }: KnownCheck): string {
  const why = trust === "changed" ? "changed since you trusted it" : "is not trusted";
  return `The check ${name} of ${file} ${why}. Read it with \`waymark check list\`, then run \`waymark check trust ${name}\`.`;
}
