/**
 * Detects agents that repeat themselves without progress. Works on a short window of calls, so the cost
 * of a call does not depend on the length of the session.
 */

/** A call, reduced to what distinguishes it from others. */
export interface Call {
  readonly name: string;
  /** Fingerprint of name and input. */
  readonly signature: string;
  /** Fingerprint of the result. Absent while the call runs, and if the result means nothing. */
  readonly outcome?: string;
  /** The tool does not exist. */
  readonly unknown?: boolean;
  /** A polling call, such as reading a status or a log. */
  readonly poll?: boolean;
  /**
   * Set if the call made progress: `edit`, an edit that is new in the window, ends every streak; `list`,
   * a new pattern of statuses, only ends a finding.
   */
  readonly progress?: "edit" | "list";
  /** The name to show. */
  readonly label: string;
}

/** Thresholds, in calls. */
export interface DetectorPolicy {
  readonly window: number;
  readonly warn: number;
  readonly critical: number;
  readonly unknownTool: number;
  readonly breaker: number;
}

/** The default thresholds. */
export const DETECTOR_POLICY: DetectorPolicy = {
  window: 30,
  warn: 10,
  critical: 20,
  unknownTool: 10,
  breaker: 30,
};

export type FindingKind =
  | "unknown_tool_repeat"
  | "global_circuit_breaker"
  | "known_poll_no_progress"
  | "ping_pong"
  | "generic_repeat"
  | "stalled";

/** A loop or a stall. */
export interface Finding {
  readonly kind: FindingKind;
  readonly level: "warning" | "critical";
  /** The repeated call or calls. */
  readonly label: string;
  readonly count: number;
  /** The facts in one sentence. */
  readonly message: string;
}

/** Identifies a finding; does not change with its count. */
export function findingKey({ kind, level, label }: Finding): string {
  return `${kind}:${level}:${label}`;
}

/** How many unrelated calls a finding survives: reading a file between two polls does not end the polling. */
const MAX_UNRELATED = 4;

/**
 * Checks the calls of the window, oldest first, and returns the most severe finding. `former` is the
 * finding before the last call: it stays while its calls continue without progress, so a cycle of
 * several calls is one finding instead of a new one with each call.
 */
export function detectLoop(
  calls: readonly Call[],
  policy: DetectorPolicy = DETECTOR_POLICY,
  former?: Finding,
): Finding | undefined {
  const found = loopAtEnd(calls, policy);
  const continued = former && continuedLoop(calls, policy, former);
  if (!found || !continued) return found ?? continued;
  return severity(found) > severity(continued) ? found : continued;
}

function continuedLoop(
  calls: readonly Call[],
  policy: DetectorPolicy,
  former: Finding,
): Finding | undefined {
  for (let others = 0; others <= MAX_UNRELATED && others < calls.length; others++) {
    const found = loopAtEnd(calls.slice(0, calls.length - others), policy);
    if (found?.kind === former.kind && found.label === former.label) return found;
    if (isProgress(calls, calls.length - 1 - others)) return undefined;
  }
  return undefined;
}

/** Whether the call did something new, or returned something else than the last time. */
function isProgress(calls: readonly Call[], at: number): boolean {
  const call = calls[at];
  if (!call) return false;
  if (call.progress) return true;
  const before = calls.findLast(
    ({ signature }, index) => index < at && signature === call.signature,
  );
  return before !== undefined && before.outcome !== call.outcome;
}

function severity({ kind, level }: Finding): number {
  return (kind === "global_circuit_breaker" ? 1 : 0) + (level === "critical" ? 1 : 0);
}

function loopAtEnd(calls: readonly Call[], policy: DetectorPolicy): Finding | undefined {
  const last = calls.at(-1);
  if (!last) return undefined;
  return (
    unknownTool(calls, last, policy) ??
    breaker(calls, last, policy) ??
    poll(calls, last, policy) ??
    pingPong(calls, last, policy) ??
    repeat(calls, last, policy)
  );
}

function finding(
  kind: FindingKind,
  level: Finding["level"],
  label: string,
  count: number,
  outcome: string,
): Finding {
  return { kind, level, label, count, message: `${label}, ${count} times, ${outcome}` };
}

/** How many consecutive calls at the end of the window pass the test. */
function runLength(calls: readonly Call[], test: (call: Call, length: number) => boolean): number {
  let length = 0;
  while (length < calls.length) {
    const call = calls[calls.length - 1 - length];
    if (!call || !test(call, length)) break;
    length++;
  }
  return length;
}

function unknownTool(calls: readonly Call[], last: Call, policy: DetectorPolicy) {
  const count = runLength(calls, (call) => call.unknown === true && call.name === last.name);
  if (count < policy.unknownTool) return undefined;
  return finding("unknown_tool_repeat", "critical", last.name, count, "the tool does not exist");
}

/**
 * How many of the newest calls with this signature had the same outcome, with no edit between them.
 * Other calls in between do not break the streak.
 */
function unchanged(calls: readonly Call[], { signature }: Call): number {
  let newest: string | undefined;
  let count = 0;
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index];
    if (call?.signature === signature && call.outcome !== undefined) {
      newest ??= call.outcome;
      if (call.outcome !== newest) break;
      count++;
    }
    if (call?.progress === "edit") break;
  }
  return count;
}

function breaker(calls: readonly Call[], last: Call, policy: DetectorPolicy) {
  const count = unchanged(calls, last);
  if (count < policy.breaker) return undefined;
  return finding("global_circuit_breaker", "critical", last.label, count, "same result");
}

function poll(calls: readonly Call[], last: Call, policy: DetectorPolicy) {
  if (!last.poll) return undefined;
  const count = unchanged(calls, last);
  if (count < policy.warn) return undefined;
  const level = count >= policy.critical ? "critical" : "warning";
  return finding("known_poll_no_progress", level, last.label, count, "nothing changed");
}

function pingPong(calls: readonly Call[], last: Call, policy: DetectorPolicy) {
  const other = calls.at(-2);
  if (!other || other.signature === last.signature) return undefined;
  // A new result on either side is progress. The newest call of each side may still be running.
  const outcomes = [last.outcome, other.outcome];
  const count = runLength(calls, ({ signature, outcome }, length) => {
    const side = length % 2;
    if (signature !== (side === 0 ? last : other).signature) return false;
    outcomes[side] ??= outcome;
    return outcome === outcomes[side] || length < 2;
  });
  if (count < policy.warn) return undefined;
  const level = count >= policy.critical ? "critical" : "warning";
  // Sorted, because the label is part of the finding's key and the sides alternate.
  const label = [last.label, other.label].sort().join(" and ");
  return finding("ping_pong", level, label, count, "alternating");
}

function repeat(calls: readonly Call[], last: Call, policy: DetectorPolicy) {
  const count = unchanged(calls, last);
  if (count < policy.warn) return undefined;
  const level = count >= policy.critical ? "critical" : "warning";
  return finding("generic_repeat", level, last.label, count, "same result");
}

/** A short fingerprint of a JSON value, independent of the order of keys. */
export function fingerprint(value: unknown): string {
  return hash(stable(value, 0));
}

/** The maximum depth of a tool input. */
const MAX_STABLE_DEPTH = 32;
/** Stands for deeper values. No serialized value looks like this. */
const DEEPER = "...";

function stable(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (depth > MAX_STABLE_DEPTH) return DEEPER;
  if (Array.isArray(value)) return `[${value.map((entry) => stable(entry, depth + 1)).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${stable(inner, depth + 1)}`).join(",")}}`;
}

/** Two 32-bit FNV-1a hashes: enough to distinguish the 30 calls of a window. */
function hash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0xc9dc5118;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + index), 0x01000193);
  }
  return (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0");
}
