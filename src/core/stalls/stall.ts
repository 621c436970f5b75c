/**
 * core/stalls: steps that Waymark takes when an agent stalls or loops. `stall` has the record that is part of the track,
 * `steps` reads the settings and says which step is due, `text` words a record. `servers/stalls` takes the steps.
 */
import type { MergedTrack } from "../views/merged.ts";

/** The source of steps, in the history of sessions and tasks. */
export const STALLS = "waymark stalls";

/** The steps that Waymark can take, in the usual order. */
export const STALL_STEPS = ["notify", "message", "command", "release"] as const;
export type StallStepName = (typeof STALL_STEPS)[number];

/** A stall, or a loop without progress. */
export interface Stall {
  readonly kind: "stalled" | "looping";
  /** Identifies it; stable while it lasts. */
  readonly key: string;
  /** When the agent began to count as stalled or looping. */
  readonly since: number;
  /** When the agent was last active before a stall. */
  readonly silentSince?: number;
  /** The facts in one sentence, as they were at the first step. */
  readonly message: string;
  /** The call that was running. */
  readonly inside?: string;
}

/** A taken step, with its result as far as that is known. */
export type StallStep =
  | {
      readonly step: "notify";
      readonly to: string;
      readonly state: "sent" | "failed";
      readonly error?: string;
    }
  /** `queued` until a hook of the agent has passed it on. */
  | {
      readonly step: "message";
      readonly state: "queued" | "delivered";
      readonly deliveredAt?: number;
    }
  /** `started` without an end after `until`: the result is unknown, because Waymark ended first. */
  | { readonly step: "command"; readonly state: "started"; readonly until: number }
  | ({ readonly step: "command"; readonly state: "ended" } & CommandResult)
  | {
      readonly step: "release";
      readonly task: string;
      readonly state: "released" | "failed";
      readonly error?: string;
    };

/** How the user's command ended. */
export interface CommandResult {
  /** Absent if a signal or the time limit ended it, or if it did not start. */
  readonly exitCode?: number;
  readonly signal?: string;
  readonly timedOut?: true;
  readonly error?: string;
  /** The last lines of its output. */
  readonly output?: string;
}

/** A step with its time. */
export type TakenStep = StallStep & { readonly at: number };

/** A stall and the steps that were taken, oldest first. */
export interface HandledStall extends Stall {
  readonly steps: readonly TakenStep[];
}

const MAX_STALLS = 8;
const MAX_STEPS = 16;

/** Identifies a step of a stall: another one replaces it. */
function stepKey(step: StallStep): string {
  if (step.step === "notify") return `notify ${step.to}`;
  return step.step === "release" ? `release ${step.task}` : step.step;
}

/** The stalls of a track after a step. */
export function stallsAfter(
  known: readonly HandledStall[] | undefined,
  stall: Stall,
  step: StallStep,
  at: number,
): readonly HandledStall[] {
  const all = known ?? [];
  const former = all.find(({ key }) => key === stall.key);
  const steps = former?.steps ?? [];
  const earlier = steps.find((each) => stepKey(each) === stepKey(step));
  // A command began when it was started.
  const taken: TakenStep = { ...step, at: earlier?.at ?? at };
  const next: HandledStall = {
    ...(former ?? stall),
    steps: (earlier
      ? steps.map((each) => (each === earlier ? taken : each))
      : [...steps, taken]
    ).slice(-MAX_STEPS),
  };
  return [...all.filter(({ key }) => key !== stall.key), next].slice(-MAX_STALLS);
}

/** The newest stall whose message waits for a hook of the agent. */
export function queuedMessage(
  stalls: readonly HandledStall[] | undefined,
): HandledStall | undefined {
  const last = stalls?.findLast(({ kind }) => kind === "stalled");
  const isQueued = last?.steps.some(({ step, state }) => step === "message" && state === "queued");
  return isQueued ? last : undefined;
}

/** The stalls after the agent received the messages about some of them. */
export function stallsMessaged(
  stalls: readonly HandledStall[],
  about: readonly string[],
  at: number,
): readonly HandledStall[] {
  return stalls.map((each) =>
    about.includes(each.key)
      ? {
          ...each,
          steps: each.steps.map((step) =>
            step.step === "message" && step.state === "queued"
              ? { ...step, state: "delivered" as const, deliveredAt: at }
              : step,
          ),
        }
      : each,
  );
}

/**
 * The stall or loop of a track that deserves a step now: not a muted one, not while the agent waits for the user, and
 * only critical loops. A subagent that stalls is left to its parent, which stalls too.
 */
export function currentStalls({
  track,
  findings,
  state,
  activity,
  stallsAt,
  machine,
  archived,
}: MergedTrack): readonly Stall[] {
  if (!activity || machine !== undefined || archived || state === "needs_you") return [];
  const isSubagent = track.parentAgent !== undefined && track.parentAgent !== track.agent;
  return findings.flatMap(({ kind, level, label, message }): readonly Stall[] => {
    if (kind !== "stalled") {
      if (level !== "critical") return [];
      const since = activity.loopSince ?? activity.lastAt;
      return [{ kind: "looping", key: `looping ${since} ${kind} ${label}`, since, message }];
    }
    if (isSubagent) return [];
    const inside = activity.open.at(-1)?.label;
    return [
      {
        kind: "stalled",
        key: `stalled ${activity.lastAt}`,
        since: stallsAt ?? activity.lastAt,
        silentSince: activity.lastAt,
        message,
        ...(inside !== undefined && { inside }),
      },
    ];
  });
}
