import { applyChange } from "../evolve.ts";
import { type ReminderWords, reminderFor } from "../guidance/rules.ts";
import type { GuidancePolicy } from "../list/policy.ts";
import type { Change, Decision, Moment, Origin, Track } from "../model.ts";
import { interpret } from "../stream/interpret.ts";
import { begunCall } from "./activity.ts";
import type { Observation, Observed } from "./observation.ts";
import { provenBy } from "./observe.ts";

export interface RecordOptions {
  readonly key: string;
  readonly at: number;
  readonly via: string;
  readonly origin?: Origin;
  /** The model can be told something now. */
  readonly moment?: Moment;
  readonly guidance: GuidancePolicy;
  readonly words: ReminderWords;
}

/** A list may be there before a host tells whose it is: what was not known yet is added. */
function openingOf(track: Track, origin: Origin = {}): Change[] {
  if (track.version === 0) return [{ type: "track.opened", ...origin }];
  const { agentType, cwd } = origin;
  const learned = {
    ...(track.agentType === undefined && agentType !== undefined && { agentType }),
    ...(track.cwd === undefined && cwd !== undefined && { cwd }),
  };
  return Object.keys(learned).length === 0 ? [] : [{ type: "track.opened", ...learned }];
}

/** Without what the start of the call told already. */
function lean(observation: Observation, { activity }: Track): Observation {
  if (observation.type !== "tool.completed" && observation.type !== "tool.failed")
    return observation;
  const { call, ...rest } = observation;
  return call && activity && begunCall(activity, observation) ? rest : observation;
}

/**
 * Makes one event of what a host saw and of what the model is told in return. Nothing seen and
 * nothing to tell: no event.
 */
export function recordObserved(
  track: Track,
  seen: readonly Observed[],
  { key, at, via, origin, moment, guidance, words }: RecordOptions,
): Decision {
  const by = seen.some(({ type }) => type === "todo_list") ? "agent" : "system";
  const changes: Change[] = openingOf(track, origin);
  let now = track;
  let comment: string | undefined;
  const happen = (...all: readonly Change[]) => {
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
    if (now.activity?.check !== before) happen(...provenBy(now, "before the check"));
  };

  for (const event of seen) {
    const about = { key, at: event.at ?? at, via, table: guidance };
    const { observation, write, plan, mode } = interpret(now, now.activity, event, about);
    // The change itself is recorded: that the agent was active then is not recorded again.
    if (observation && !plan && mode === undefined) observe(lean(observation, now));
    if (write?.decision.ok) {
      const { changes: made, comment: said } = write.decision.event;
      happen(...made.filter(({ type }) => type !== "track.opened"));
      comment = said ?? comment;
    }
    if (plan) happen(plan);
    if (mode !== undefined && mode !== now.mode) happen({ type: "mode.changed", mode });
  }

  // A host may report late: only now is it known what followed the check.
  if (now.activity?.check !== track.activity?.check) happen(...provenBy(now, "all"));

  const reminder = moment && reminderFor(now, moment, guidance, words);
  if (reminder && moment) {
    const { kind, text } = reminder;
    happen({ type: "reminded", kind, moment, text });
    if (kind === "changed") happen({ type: "edits.shown" });
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
