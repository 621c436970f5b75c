import type { Collision } from "../collisions/collision.ts";
import { applyChange } from "../evolve.ts";
import { type ReminderContext, reminderFor } from "../guidance/rules.ts";
import type { Handoff } from "../handoff/handoff.ts";
import type { GuidancePolicy } from "../list/policy.ts";
import type {
  Change,
  Decision,
  Origin,
  Reminder,
  ReminderMoment,
  Track,
  TrackId,
} from "../model.ts";
import type { Stall, StallStep } from "../stalls/stall.ts";
import { interpret } from "../stream/interpret.ts";
import { startOfCall } from "./activity.ts";
import { verifiedByCheck } from "./apply-observations.ts";
import type { CallRef, Observation, ObservedEvent } from "./observation.ts";

/** Options of `recordObserved`. */
export interface RecordOptions {
  readonly key: string;
  readonly at: number;
  readonly via: string;
  readonly origin?: Origin;
  /** Present if the model can receive a reminder now. */
  readonly moment?: ReminderMoment;
  readonly guidance: GuidancePolicy;
  readonly reminderContext: ReminderContext;
  /** Collisions with other agents that the host noticed. */
  readonly collisions?: readonly Collision[];
  /** A step that Waymark takes because the agent stalled or looped. */
  readonly stalled?: StalledStep;
  /** A list that the session takes over, if it has none. */
  readonly handoff?: Handoff;
  /** The session that continues the list. */
  readonly passedTo?: TrackId;
  /** The call that the host denies if there is a reminder at this moment. */
  readonly denies?: CallRef;
  /** A reminder that the host sends by itself, instead of the one that is due. */
  readonly given?: Reminder;
  /** Adds the recorded proofs, which are not part of the track, before reminders are decided. */
  readonly withProofs?: (track: Track) => Track;
}

/** A step and the stall that it is about. */
export interface StalledStep {
  readonly stall: Stall;
  readonly step: StallStep;
}

/** The change that records a reminder. */
export function remindedChange(
  { kind, text, about }: Reminder,
  moment: ReminderMoment,
  denied?: CallRef,
): Change {
  return {
    type: "reminded",
    kind,
    moment,
    text,
    ...(about && { about }),
    ...(denied && { denied }),
  };
}

function takenChange({ from, list, nextId, todos }: Handoff): Change {
  const { session, agent } = from;
  return { type: "list.taken", from: { session, agent }, list, nextId, todos };
}

/** Opens a new track. If a list existed before its host reported, adds the origin that was unknown. */
function openingOf(track: Track, origin: Origin = {}): Change[] {
  if (track.version === 0) return [{ type: "track.opened", ...origin }];
  const { agentType, cwd } = origin;
  const learned = {
    ...(track.agentType === undefined && agentType !== undefined && { agentType }),
    ...(track.cwd === undefined && cwd !== undefined && { cwd }),
  };
  return Object.keys(learned).length === 0 ? [] : [{ type: "track.opened", ...learned }];
}

/** Drops what the start of the call recorded already. */
function withoutStart(observation: Observation, { activity }: Track): Observation {
  if (observation.type !== "tool.completed" && observation.type !== "tool.failed")
    return observation;
  const { call, ...rest } = observation;
  return call && activity && startOfCall(activity, observation) ? rest : observation;
}

/**
 * Turns events of a host, and the reminder that the model gets in return, into one event of the track.
 * Without either, there is no event: the decision is a refusal without reasons.
 */
export function recordObserved(
  track: Track,
  seen: readonly ObservedEvent[],
  {
    key,
    at,
    via,
    origin,
    moment,
    guidance,
    reminderContext,
    given,
    collisions = [],
    stalled,
    handoff,
    passedTo,
    denies,
    withProofs = (each) => each,
  }: RecordOptions,
): Decision {
  const by = seen.some(({ type }) => type === "todo_list") ? "agent" : "system";
  const changes: Change[] = openingOf(track, origin);
  let now = track;
  let comment: string | undefined;
  const record = (...all: readonly Change[]) => {
    for (const change of all) {
      now = applyChange(now, change, { at, by });
      changes.push(change);
    }
  };
  const observe = (observation: Observation) => {
    const before = now.activity?.check;
    now = applyChange(now, { type: "observed", observations: [observation] }, { at, by });
    const last = changes.at(-1);
    const former = last?.type === "observed" ? last.observations : [];
    if (last?.type === "observed") changes.pop();
    changes.push({ type: "observed", observations: [...former, observation] });
    if (now.activity?.check !== before) record(...verifiedByCheck(now, "before the check"));
  };

  for (const event of seen) {
    const about = { key, at: event.at ?? at, via, table: guidance };
    const { observation, write, plan, mode } = interpret(now, now.activity, event, about);
    // Plan and mode changes are recorded as such, not as observations too.
    if (observation && !plan && mode === undefined) observe(withoutStart(observation, now));
    if (write?.decision.ok) {
      const { changes: written, comment: explanation } = write.decision.event;
      record(...written.filter(({ type }) => type !== "track.opened"));
      comment = explanation ?? comment;
    }
    if (plan) record(plan);
    if (mode !== undefined && mode !== now.mode) record({ type: "mode.changed", mode });
  }

  if (handoff && now.todos.length === 0) record(takenChange(handoff));
  if (passedTo) record({ type: "list.passed", to: passedTo });
  for (const collision of collisions) record({ type: "collision.found", collision });
  if (stalled) record({ type: "stall.handled", ...stalled });

  // Hosts may report late: only now are all events after the check known.
  if (now.activity?.check !== track.activity?.check) record(...verifiedByCheck(now, "all"));

  const reminder =
    moment && (given ?? reminderFor(withProofs(now), moment, guidance, reminderContext));
  if (reminder && moment) {
    const { kind } = reminder;
    record(remindedChange(reminder, moment, denies));
    if (kind === "changed") record({ type: "edits.shown" });
  }
  if (changes.every(({ type }) => type === "track.opened")) return { ok: false, rejected: [] };
  return {
    ok: true,
    event: {
      seq: track.version + 1,
      key,
      at,
      by,
      via,
      changes,
      ...(comment !== undefined && { comment }),
    },
  };
}
