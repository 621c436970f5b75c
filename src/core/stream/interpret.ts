import { type Activity, observeEvent } from "../activity/activity.ts";
import type { EvidenceTable } from "../activity/evidence/effect.ts";
import type { Observation } from "../activity/observation.ts";
import type { Mode, Track } from "../model.ts";
import { type PlanChange, planChangeOf } from "../plan/plan.ts";
import type { StreamBody } from "./events.ts";
import { type ExternalWrite, externalWrite } from "./to-write.ts";

/** The meaning of an event for a track. */
export interface Interpretation {
  /** The observation for the activity. */
  readonly observation?: Observation;
  readonly write?: ExternalWrite;
  readonly plan?: PlanChange;
  readonly mode?: Mode;
}

interface Context {
  readonly key: string;
  readonly at: number;
  readonly via: string;
  readonly table?: Partial<EvidenceTable>;
}

/**
 * Decides what an event means, the same for hosted lists and transcripts. The caller applies the result:
 * a hosted list records changes, a transcript is folded in place.
 */
export function interpret(
  track: Track,
  activity: Activity | undefined,
  event: StreamBody,
  { key, at, via, table }: Context,
): Interpretation {
  const observation = observeEvent(activity, event, at, table);
  if (!observation) return {};
  switch (event.type) {
    case "todo_list":
      return { observation, write: externalWrite(track, activity, event, { key, at, via }) };
    case "mode.changed":
      return { observation, mode: event.mode };
    case "plan.delta":
    case "plan.proposed":
    case "plan.decided":
      return { observation, plan: planChangeOf(event) };
    default:
      return { observation };
  }
}
