import type { Activity } from "../activity/activity.ts";
import { findingKey } from "../activity/detect.ts";
import type { Observation } from "../activity/observation.ts";
import type { ReminderKind } from "../model.ts";

/**
 * What reminders depend on, counted as things happen: nothing is ever looked up in the past. A
 * step is one message of the assistant with the calls it makes.
 */
export interface Guide {
  readonly steps: number;
  /** The host reports messages, so calls are not taken for steps; true until the turn ends. */
  readonly heard: boolean;
  /** A person's message came, and nothing since. */
  readonly prompted: boolean;
  /** Number of the step of the last list write, and of the last reminder about the list. */
  readonly wroteAt: number;
  readonly remindedAt: number;
  /** Edits that ended since the last write or the last reminder about edits. */
  readonly edits: number;
  /** Nudges about edits since the last write. */
  readonly nudges: number;
  /** Messages of a person. */
  readonly prompts: number;
  readonly calls: number;
  /** Since the last message of a person. */
  readonly stops: number;
  /** How many calls there were when a stop was last answered. */
  readonly stopCalls: number;
  /** False from a message of a person until the agent makes a call or writes its list. */
  readonly worked: boolean;
  /** The last message of the agent asks the person something. */
  readonly asked: boolean;
  /** The conversation was shortened and the model did not get its list back yet. */
  readonly recover: boolean;
  /** A refused write that was not followed by an accepted one. */
  readonly refused?: {
    readonly step: number;
    readonly why: string;
    /** Some of its operations were applied. */
    readonly partial?: true;
  };
  /** The agent's own list tool, where a host reported which one wrote last. */
  readonly listTool?: string;
  /** Number of the step of the last reminder that plan mode is on. */
  readonly plannedAt?: number;
  /** The loop that the model was told of. */
  readonly loop?: string;
  /** The number of the list for which evidence was asked. */
  readonly evidenceFor: number;
  /** How often each kind was told. */
  readonly told: Readonly<Partial<Record<ReminderKind, number>>>;
}

export function emptyGuide(): Guide {
  return {
    steps: 0,
    heard: false,
    prompted: true,
    wroteAt: 0,
    remindedAt: 0,
    edits: 0,
    nudges: 0,
    prompts: 0,
    calls: 0,
    stops: 0,
    stopCalls: -1,
    worked: true,
    asked: false,
    recover: false,
    evidenceFor: 0,
    told: {},
  };
}

/** What one observation changes; `before` and `after` are the activity around it. */
export function guideAfter(
  guide: Guide,
  observation: Observation,
  before: { readonly edits: number; readonly tools: number },
  after: Activity,
): Guide {
  switch (observation.type) {
    case "message": {
      if (observation.role === "user") return { ...guide, asked: false };
      const asked = observation.asks === true;
      return { ...guide, steps: guide.steps + 1, heard: true, prompted: false, asked };
    }
    case "tool.started":
      // The call itself is open now; any other one is of the same step.
      return afterCall(guide, after.open.length <= 1);
    case "tool.completed":
    case "tool.failed": {
      const edits = guide.edits + (after.edits?.count ?? 0) - before.edits;
      const isFirstReport = after.counts.tools > before.tools;
      return { ...(isFirstReport ? afterCall(guide, after.open.length === 0) : guide), edits };
    }
    case "turn.started": {
      const { loop: _, ...rest } = guide;
      return {
        ...rest,
        prompts: guide.prompts + 1,
        stops: 0,
        stopCalls: -1,
        asked: false,
        worked: false,
        heard: false,
        prompted: true,
      };
    }
    case "turn.completed":
    case "turn.failed":
    case "turn.cancelled":
    case "session.ended":
      return { ...guide, heard: false };
    case "session.compacted":
      return { ...guide, recover: true };
    case "list.written":
      return {
        ...guideAfterWrite(guide),
        ...(observation.tool !== undefined && { listTool: observation.tool }),
      };
    case "list.refused": {
      const { why = "", partial } = observation;
      return { ...guide, refused: { step: guide.steps, why, ...(partial && { partial }) } };
    }
    default:
      return guide;
  }
}

/** The agent wrote its list. */
export function guideAfterWrite(guide: Guide): Guide {
  const { refused: _, listTool: __, ...rest } = guide;
  return { ...rest, worked: true, wroteAt: guide.steps, edits: 0, nudges: 0 };
}

/** A call was made; it begins a step where the host reports no messages. */
function afterCall(guide: Guide, isFirst: boolean): Guide {
  return {
    ...guide,
    calls: guide.calls + 1,
    worked: true,
    asked: false,
    prompted: false,
    steps: guide.steps + (isFirst && !guide.heard ? 1 : 0),
  };
}

/** Reminders that are about the list falling behind keep each other quiet. */
const NAGS: ReadonlySet<ReminderKind> = new Set(["stale", "edits", "empty"]);

/** The model was told something. */
export function guideAfterReminder(
  guide: Guide,
  kind: ReminderKind,
  { list, activity }: { readonly list: number; readonly activity?: Activity },
): Guide {
  const told = { ...guide.told, [kind]: (guide.told[kind] ?? 0) + 1 };
  const nag = NAGS.has(kind) ? { remindedAt: guide.steps } : {};
  const next: Guide = { ...guide, ...nag, told };
  switch (kind) {
    case "edits":
      return { ...next, edits: 0, nudges: guide.nudges + 1 };
    case "recovery":
      return { ...next, recover: false };
    case "refused": {
      const { refused: _, ...rest } = next;
      return rest;
    }
    case "planning":
      return { ...next, plannedAt: guide.steps };
    case "evidence":
      return { ...next, evidenceFor: list };
    case "stop":
      // The turn goes on: its calls are steps again where no messages are reported.
      return { ...next, stops: guide.stops + 1, stopCalls: guide.calls, heard: false };
    case "loop":
      return activity?.loop ? { ...next, loop: findingKey(activity.loop) } : next;
    default:
      return next;
  }
}
