import { type Activity, observed } from "../activity/activity.ts";
import type { EvidenceTable } from "../activity/evidence/effect.ts";
import type { Observation } from "../activity/observation.ts";
import type { Mode, Track } from "../model.ts";
import { type PlanChange, planChangeOf } from "../plan/plan.ts";
import type { StreamBody } from "./events.ts";
import { type ForeignWrite, foreignWrite } from "./to-write.ts";

/** What one event of an agent means for its track. */
export interface Interpreted {
  /** What the activity keeps of the event. */
  readonly observation?: Observation;
  readonly write?: ForeignWrite;
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
 * Decides what an event means, for hosted lists and for transcripts alike. The caller applies the
 * result: a hosted list records changes, a transcript is folded in place.
 */
export function interpret(
  track: Track,
  activity: Activity | undefined,
  event: StreamBody,
  { key, at, via, table }: Context,
): Interpreted {
  const observation = observed(activity, event, at, table);
  if (!observation) return {};
  switch (event.type) {
    case "todo_list":
      return { observation, write: foreignWrite(track, activity, event, { key, at, via }) };
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
