import { ACTIVITY_POLICY, type Activity } from "../activity/activity.ts";
import type { Call } from "../activity/detect.ts";
import type { GuidancePolicy } from "../list/policy.ts";
import type { ReminderMoment, Track } from "../model.ts";
import { isOpen } from "../views/view.ts";
import { emptyGuide } from "./counters.ts";
import { reminderFor } from "./rules.ts";
import { hasUnseenEdits } from "./user-edits.ts";

/** When a reminder may be due next, for hosts that do not want to ask at every event. It may be too early, never too late. */
export interface Due {
  /** Tool results until a reminder may be due: 1 is the very next one. */
  readonly steps: number;
  readonly prompt: boolean;
  readonly stop: boolean;
}

export function dueOf(track: Track, policy: GuidancePolicy): Due {
  const guide = track.guide ?? emptyGuide();
  const isDue = (moment: ReminderMoment) =>
    reminderFor(track, moment, policy, CONTEXT) !== undefined;
  // The event that ends an open request is recorded at once, so that no surface shows the request any longer.
  const isAsking = track.activity?.waiting !== undefined;
  const isWaiting =
    isAsking ||
    hasUnseenEdits(track) ||
    guide.recover ||
    guide.refused !== undefined ||
    isDue("step");
  const untilStale = Math.max(
    policy.staleAfter - (guide.steps - guide.wroteAt),
    policy.staleEvery - (guide.steps - guide.remindedAt),
  );
  const { plannedAt = 0 } = guide;
  const untilPlan =
    track.mode === "plan" && policy.planEvery > 0
      ? policy.planEvery - (guide.steps - plannedAt)
      : Number.POSITIVE_INFINITY;
  const steps = isWaiting
    ? 1
    : Math.min(untilPlan, untilStale, policy.editsAfter - guide.edits, untilLoop(track.activity));
  return {
    steps: Math.max(1, steps),
    prompt: isWaiting || guide.prompts === 0 || isDue("prompt"),
    stop: isAsking || track.todos.some(isOpen),
  };
}

/** Only whether there is a reminder matters, not its text. */
const CONTEXT = { mark: "due", tool: "todos" };

/** The fewest further calls after which a loop can be detected. */
function untilLoop(activity: Activity | undefined): number {
  const calls = activity?.calls ?? [];
  const longest = Math.max(mostRepeated(calls), alternating(calls), unknownAtEnd(calls));
  return Math.min(ACTIVITY_POLICY.warn, ACTIVITY_POLICY.unknownTool) - longest;
}

function mostRepeated(calls: readonly Call[]): number {
  const counts = new Map<string, number>();
  for (const { signature } of calls) counts.set(signature, (counts.get(signature) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** How many calls at the end alternate between two. */
function alternating(calls: readonly Call[]): number {
  let length = Math.min(2, calls.length);
  while (length < calls.length) {
    const [one, other] = [calls.length - 1 - length, calls.length + 1 - length];
    if (calls[one]?.signature !== calls[other]?.signature) break;
    length++;
  }
  return length;
}

function unknownAtEnd(calls: readonly Call[]): number {
  const known = calls.findLastIndex((call) => !call.unknown);
  return calls.length - 1 - known;
}
