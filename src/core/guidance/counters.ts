import type { Activity } from "../activity/activity.ts";
import { findingKey } from "../activity/detect.ts";
import type { Observation } from "../activity/observation.ts";
import type { Reminder, ReminderKind } from "../model.ts";

/**
 * The counters that reminders depend on. They are updated with every observation, so no reminder reads the history. A step is one
 * message of the assistant with the calls it makes.
 */
export interface Guide {
  readonly steps: number;
  /** The host reports messages, so calls do not count as steps. Reset when the turn ends. */
  readonly heard: boolean;
  /** The last thing that happened was a message of the user. */
  readonly prompted: boolean;
  /** The step of the last list write, and of the last reminder about the list. */
  readonly wroteAt: number;
  readonly remindedAt: number;
  /** Completed edits since the last list write or the last reminder about edits. */
  readonly edits: number;
  /** Reminders about edits since the last list write. */
  readonly nudges: number;
  /** Messages of the user. */
  readonly prompts: number;
  readonly calls: number;
  /** Stops that were answered since the last message of the user. */
  readonly stops: number;
  /** The value of `calls` when a stop was last answered. */
  readonly stopCalls: number;
  /** False from a message of the user until the agent makes a call or writes its list. */
  readonly worked: boolean;
  /** The last message of the agent asks the user something. */
  readonly asked: boolean;
  /** The context was compacted, and the model has not received its list since. */
  readonly recover: boolean;
  /** The last write, if it was refused. */
  readonly refused?: {
    readonly step: number;
    readonly why: string;
    /** Only some of its operations were refused. */
    readonly partial?: true;
  };
  /** The agent's own list tool that wrote last, if the host reports it. */
  readonly listTool?: string;
  /** The step of the last reminder about plan mode. */
  readonly plannedAt?: number;
  /** Key of the loop that the last reminder was about. */
  readonly loop?: string;
  /** The list that evidence was last asked for. */
  readonly evidenceFor: number;
  /** Keys of failed and weakened checks that were sent, newest last. Bounded. */
  readonly checks?: readonly string[];
  /** How often each kind was sent. */
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

/** The counters after an observation; `before` and `after` are the activity around it. */
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
      // This call is open now; if another one is, both belong to the same step.
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

/** The counters after the agent wrote its list. */
export function guideAfterWrite(guide: Guide): Guide {
  const { refused: _, listTool: __, ...rest } = guide;
  return { ...rest, worked: true, wroteAt: guide.steps, edits: 0, nudges: 0 };
}

/** Counts a call, and a step if the host reports no messages. */
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

/** Reminders about an outdated list. Each postpones the others. */
const ABOUT_LIST: ReadonlySet<ReminderKind> = new Set(["stale", "edits", "empty"]);

const MAX_CHECKS = 60;

/** The counters after a reminder was sent. */
export function guideAfterReminder(
  guide: Guide,
  { kind, about = [] }: Pick<Reminder, "kind" | "about">,
  { list, activity }: { readonly list: number; readonly activity?: Activity },
): Guide {
  const told = { ...guide.told, [kind]: (guide.told[kind] ?? 0) + 1 };
  const reminded = ABOUT_LIST.has(kind) ? { remindedAt: guide.steps } : {};
  const next: Guide = { ...guide, ...reminded, told };
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
    case "check": {
      const former = (guide.checks ?? []).filter((key) => !about.includes(key));
      return { ...next, checks: [...former, ...about].slice(-MAX_CHECKS) };
    }
    case "evidence":
      return { ...next, evidenceFor: list };
    case "stop":
      // The turn continues: without reported messages, its calls count as steps again.
      return { ...next, stops: guide.stops + 1, stopCalls: guide.calls, heard: false };
    case "loop":
      return activity?.loop ? { ...next, loop: findingKey(activity.loop) } : next;
    default:
      return next;
  }
}
