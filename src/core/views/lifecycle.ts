import type { Track } from "../model.ts";
import type { StreamEvent } from "../stream/events.ts";
import { MAIN_AGENT } from "../text/ids.ts";

/** How long a list stays on the display, and as what. */
export interface Lifecycle {
  /** `one`: the list that was last written takes the place of all others. `each`: one per agent. */
  readonly agents: "one" | "each";
  /** At the end of a turn: every todo keeps its true status, or all are shown as completed. */
  readonly turnEnd: "keep" | "complete";
  /** What the start of another agent does to the lists on display. */
  readonly otherStarts: "keep" | "clear";
  /** What a cancelled turn, a failed turn and the end of the conversation do to the list. */
  readonly stop: "keep" | "clear";
}

export const LIFECYCLES = {
  waymark: { agents: "one", turnEnd: "keep", otherStarts: "keep", stop: "clear" },
  /** As seed 002 has it, to the letter. */
  seed002: { agents: "one", turnEnd: "complete", otherStarts: "clear", stop: "clear" },
} as const satisfies Record<string, Lifecycle>;

/** A list that is on display. */
export interface Shown {
  readonly session: string;
  readonly agent: string;
  readonly todoId: string;
  /** The turn that wrote it is over. */
  readonly turnEnded: boolean;
  /** Drawn with every todo completed. */
  readonly asCompleted: boolean;
}

/** What is on display, the list that was last written at the end. */
export type Stage = readonly Shown[];

/** The display after an event. The very same object when the event changes nothing about it. */
export function stageAfter(stage: Stage, event: StreamEvent, lifecycle: Lifecycle): Stage {
  switch (event.type) {
    case "todo_list":
      return written(stage, event, lifecycle);
    case "turn.completed":
      return change(stage, event, (shown) => ({
        ...shown,
        turnEnded: true,
        asCompleted: lifecycle.turnEnd === "complete",
      }));
    case "session.started":
    case "turn.started":
      return started(stage, event, lifecycle);
    case "turn.cancelled":
    case "turn.failed":
    case "session.ended":
      return lifecycle.stop === "clear"
        ? without(stage, (shown) => concerns(event, shown))
        : change(stage, event, (shown) => ({ ...shown, turnEnded: true }));
    default:
      return stage;
  }
}

function written(
  stage: Stage,
  event: StreamEvent & { readonly type: "todo_list" },
  lifecycle: Lifecycle,
): Stage {
  const others = without(stage, (shown) => isOf(event, shown));
  if (event.items.length === 0) return others;
  const shown: Shown = {
    session: event.sessionId,
    agent: event.agentId,
    todoId: event.todoId,
    turnEnded: false,
    asCompleted: false,
  };
  return lifecycle.agents === "one" ? [shown] : [...others, shown];
}

function started(stage: Stage, event: StreamEvent, lifecycle: Lifecycle): Stage {
  const left =
    lifecycle.otherStarts === "clear" ? without(stage, (shown) => !isOf(event, shown)) : stage;
  if (event.type !== "turn.started") return left;
  // What was declared complete stays so until the agent writes a list again.
  return change(left, event, (shown) =>
    shown.asCompleted || !isOf(event, shown) ? shown : { ...shown, turnEnded: false },
  );
}

function isOf(event: StreamEvent, shown: Shown): boolean {
  return event.sessionId === shown.session && event.agentId === shown.agent;
}

/** The main agent's turn is that of its subagents as well. */
function concerns(event: StreamEvent, shown: Shown): boolean {
  return isOf(event, shown) || (event.sessionId === shown.session && event.agentId === MAIN_AGENT);
}

function without(stage: Stage, gone: (shown: Shown) => boolean): Stage {
  return stage.some(gone) ? stage.filter((shown) => !gone(shown)) : stage;
}

function change(stage: Stage, event: StreamEvent, to: (shown: Shown) => Shown): Stage {
  return stage.some((shown) => concerns(event, shown))
    ? stage.map((shown) => (concerns(event, shown) ? to(shown) : shown))
    : stage;
}

/** The track as the display has it. */
export function shownTrack(track: Track, { asCompleted }: Pick<Shown, "asCompleted">): Track {
  if (!asCompleted) return track;
  return { ...track, todos: track.todos.map((todo) => ({ ...todo, status: "completed" })) };
}
