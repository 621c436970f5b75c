import { fingerprint } from "./detect.ts";

/** How many characters at each end of a long output are compared. */
const COMPARED = 8_000;

/** Terminal escape sequences. */
const ANSI = /\u001b\[[\d;?]*[A-Za-z]/g;

/** Parts that differ between equal runs: dates, times, durations, process ids, addresses. */
const VOLATILE: readonly RegExp[] = [
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g,
  /\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AP]M\b)?/g,
  /"?\b(?:duration|elapsed|took|time|timestamp|pid)(?:[_ ]?(?:ms|s|secs?|seconds|at))?"?\s*[:=]\s*"?\d+(?:\.\d+)?/gi,
  /\b\d+(?:[.,]\d+)?\s?(?:ns|\u00b5s|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/g,
  /\bpid[\s:=#]*\d+/gi,
  /\b0x[\da-f]{6,}\b/gi,
];

/**
 * A fingerprint of the result of a call. Results that differ only in times, durations, process ids or
 * addresses have the same fingerprint; a changed count gives another one. The cost is bounded.
 */
export function outcomeFingerprint(
  ok: boolean,
  exitCode: number | undefined,
  output: string | undefined,
) {
  return fingerprint([ok, exitCode ?? null, output === undefined ? null : steadyParts(output)]);
}

function steadyParts(output: string): readonly string[] {
  if (output.length <= 2 * COMPARED) return [steady(output)];
  // Whole lines only: a duration with one more digit must not shift the compared part.
  const head = steady(output.slice(0, COMPARED));
  const tail = steady(output.slice(-COMPARED));
  return [
    head.slice(0, head.lastIndexOf("\n") + 1 || undefined),
    tail.slice(tail.indexOf("\n") + 1),
  ];
}

function steady(text: string): string {
  return VOLATILE.reduce((kept, pattern) => kept.replace(pattern, "~"), text.replace(ANSI, ""));
}
