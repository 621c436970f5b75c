import type { Check } from "../../model.ts";
import type { CallMark } from "../../views/activity-timeline.ts";

/** A hook and the agent's file may disagree by this much (ms) about when a call ended. */
const TOLERANCE = 5_000;

/** The call that a check was seen in; undefined if it is not among the calls or has no id. */
export function callOfCheck(
  calls: readonly CallMark[],
  check: Check | undefined,
): CallMark | undefined {
  if (!check) return undefined;
  const distance = ({ endedAt = 0 }: CallMark) => Math.abs(endedAt - check.at);
  const near = calls.filter(
    (call) => call.kind === "check" && call.callId !== undefined && distance(call) <= TOLERANCE,
  );
  return near.toSorted((a, b) => distance(a) - distance(b))[0];
}
