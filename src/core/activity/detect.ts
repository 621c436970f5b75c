/**
 * Notices when an agent is busy without getting anywhere. Works on a short window of calls: the
 * cost of one more call does not depend on how many there were.
 */

/** A call, reduced to what tells it from others. */
export interface Call {
  readonly name: string;
  /** Of name and input. */
  readonly signature: string;
  /** Of what came back. Absent while it runs, and where the outcome means nothing. */
  readonly outcome?: string;
  /** The tool does not exist. */
  readonly unknown?: boolean;
  /** Asks again and again by its nature: a status, a log. */
  readonly poll?: boolean;
  /**
   * It moved the work on: `edit`, an edit that the window has not seen before, ends every streak;
   * `list`, a new pattern of statuses, only ends a finding.
   */
  readonly progress?: "edit" | "list";
  /** What a person would call it. */
  readonly label: string;
}

export interface DetectorPolicy {
  readonly window: number;
  readonly warn: number;
  readonly critical: number;
  readonly unknownTool: number;
  readonly breaker: number;
}

/** How many calls of one kind are suspicious. */
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

export interface Finding {
  readonly kind: FindingKind;
  readonly level: "warning" | "critical";
  /** The call or calls it is about. */
  readonly label: string;
  readonly count: number;
  /** One sentence with the facts. */
  readonly message: string;
}

/** The same for as long as it is the same finding, however often the call was made since. */
export function findingKey({ kind, level, label }: Finding): string {
  return `${kind}:${level}:${label}`;
}

/** How many other calls a finding outlives: an agent that reads a file between two polls still polls. */
const HOLD = 4;

/**
 * Checks the calls of the window, oldest first, and returns the gravest finding. `former` is the
 * finding before the last call: it stands while its calls go on without progress, so that a cycle of
 * several calls is one finding and not a new one with each call.
 */
export function detectLoop(
  calls: readonly Call[],
  policy: DetectorPolicy = DETECTOR_POLICY,
  former?: Finding,
): Finding | undefined {
  const found = loopAtEnd(calls, policy);
  const held = former && heldLoop(calls, policy, former);
  if (!found || !held) return found ?? held;
  return gravity(found) > gravity(held) ? found : held;
}

function heldLoop(
  calls: readonly Call[],
  policy: DetectorPolicy,
  former: Finding,
): Finding | undefined {
  for (let others = 0; others <= HOLD && others < calls.length; others++) {
    const found = loopAtEnd(calls.slice(0, calls.length - others), policy);
    if (found?.kind === former.kind && found.label === former.label) return found;
    if (isProgress(calls, calls.length - 1 - others)) return undefined;
  }
  return undefined;
}

/** The call did something new, or the same call said something else the last time. */
function isProgress(calls: readonly Call[], place: number): boolean {
  const call = calls[place];
  if (!call) return false;
  if (call.progress) return true;
  const before = calls.findLast(
    ({ signature }, index) => index < place && signature === call.signature,
  );
  return before !== undefined && before.outcome !== call.outcome;
}

function gravity({ kind, level }: Finding): number {
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

/** How many calls at the end of the window pass the test without a break. */
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
  if (!last.unknown) return undefined;
  const count = runLength(calls, (call) => call.unknown === true && call.name === last.name);
  if (count < policy.unknownTool) return undefined;
  return finding("unknown_tool_repeat", "critical", last.name, count, "the tool does not exist");
}

/**
 * How many of the newest calls like the last one had the same outcome, without an edit between
 * them. Other calls in between do not break the streak: the agent still gets nowhere with this one.
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
  // A side that says something new makes progress. The newest call of each side may still run.
  const outcomes = [last.outcome, other.outcome];
  const count = runLength(calls, ({ signature, outcome }, length) => {
    const side = length % 2;
    if (signature !== (side === 0 ? last : other).signature) return false;
    outcomes[side] ??= outcome;
    return outcome === outcomes[side] || length < 2;
  });
  if (count < policy.warn) return undefined;
  const level = count >= policy.critical ? "critical" : "warning";
  // In a fixed order: the label is part of the finding's key, and the sides take turns.
  const label = [last.label, other.label].sort().join(" and ");
  return finding("ping_pong", level, label, count, "in turns");
}

function repeat(calls: readonly Call[], last: Call, policy: DetectorPolicy) {
  const count = unchanged(calls, last);
  if (count < policy.warn) return undefined;
  const level = count >= policy.critical ? "critical" : "warning";
  return finding("generic_repeat", level, last.label, count, "same result");
}

/** A short fingerprint of any JSON value; the order of keys does not matter. */
export function fingerprint(value: unknown): string {
  return hash(stable(value, 0));
}

/** As deep as the input of a tool may be. */
const MAX_STABLE_DEPTH = 32;
/** Whatever lies deeper: no value reads like this. */
const DEEPER = "...";

function stable(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  if (depth > MAX_STABLE_DEPTH) return DEEPER;
  if (Array.isArray(value)) return `[${value.map((entry) => stable(entry, depth + 1)).join(",")}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${stable(inner, depth + 1)}`).join(",")}}`;
}

/** FNV-1a, twice 32 bits: enough to tell 30 calls apart. */
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
