import type { Track } from "../model.ts";
import type { StreamEvent } from "../stream/events.ts";
import { MAIN_AGENT } from "../text/ids.ts";

/** How long a list stays on the display, and how its todos are shown. */
export interface Lifecycle {
  /** `one`: the list that was last written replaces all others. `each`: one list per agent. */
  readonly agents: "one" | "each";
  /** At the end of a turn, todos keep their status or are all shown as completed. */
  readonly turnEnd: "keep" | "complete";
  /** Whether the start of another agent clears the display. */
  readonly otherStarts: "keep" | "clear";
  /** Whether a cancelled turn, a failed turn or the end of the session clears the list. */
  readonly stop: "keep" | "clear";
}

export const LIFECYCLES = {
  waymark: { agents: "one", turnEnd: "keep", otherStarts: "keep", stop: "clear" },
  /** A list lives for a turn: shown as completed when the turn ends, cleared when another agent starts. */
  perTurn: { agents: "one", turnEnd: "complete", otherStarts: "clear", stop: "clear" },
} as const satisfies Record<string, Lifecycle>;

/** A list that is on display. */
export interface DisplayedList {
  readonly session: string;
  readonly agent: string;
  readonly todoId: string;
  /** The turn that wrote it is over. */
  readonly turnEnded: boolean;
  /** Show every todo as completed. */
  readonly asCompleted: boolean;
}

/** The lists on display, most recently written last. */
export type Display = readonly DisplayedList[];

/** The display after an event; the same object if nothing changes. */
export function displayAfter(display: Display, event: StreamEvent, lifecycle: Lifecycle): Display {
  switch (event.type) {
    case "todo_list":
      return written(display, event, lifecycle);
    case "turn.completed":
      return change(display, event, (shown) => ({
        ...shown,
        turnEnded: true,
        asCompleted: lifecycle.turnEnd === "complete",
      }));
    case "session.started":
    case "turn.started":
      return started(display, event, lifecycle);
    case "turn.cancelled":
    case "turn.failed":
    case "session.ended":
      return lifecycle.stop === "clear"
        ? without(display, (shown) => concerns(event, shown))
        : change(display, event, (shown) => ({ ...shown, turnEnded: true }));
    default:
      return display;
  }
}

function written(
  display: Display,
  event: StreamEvent & { readonly type: "todo_list" },
  lifecycle: Lifecycle,
): Display {
  const others = without(display, (shown) => isOf(event, shown));
  if (event.items.length === 0) return others;
  const shown: DisplayedList = {
    session: event.sessionId,
    agent: event.agentId,
    todoId: event.todoId,
    turnEnded: false,
    asCompleted: false,
  };
  return lifecycle.agents === "one" ? [shown] : [...others, shown];
}

function started(display: Display, event: StreamEvent, lifecycle: Lifecycle): Display {
  const left =
    lifecycle.otherStarts === "clear" ? without(display, (shown) => !isOf(event, shown)) : display;
  if (event.type !== "turn.started") return left;
  // A list that is shown as completed stays so until the agent writes it again.
  return change(left, event, (shown) =>
    shown.asCompleted || !isOf(event, shown) ? shown : { ...shown, turnEnded: false },
  );
}

function isOf(event: StreamEvent, shown: DisplayedList): boolean {
  return event.sessionId === shown.session && event.agentId === shown.agent;
}

/** An event of the main agent also concerns the lists of its subagents. */
function concerns(event: StreamEvent, shown: DisplayedList): boolean {
  return isOf(event, shown) || (event.sessionId === shown.session && event.agentId === MAIN_AGENT);
}

function without(display: Display, isRemoved: (shown: DisplayedList) => boolean): Display {
  return display.some(isRemoved) ? display.filter((shown) => !isRemoved(shown)) : display;
}

function change(
  display: Display,
  event: StreamEvent,
  to: (shown: DisplayedList) => DisplayedList,
): Display {
  return display.some((shown) => concerns(event, shown))
    ? display.map((shown) => (concerns(event, shown) ? to(shown) : shown))
    : display;
}

/** The track as it is displayed. */
export function shownTrack(
  track: Track,
  { asCompleted }: Pick<DisplayedList, "asCompleted">,
): Track {
  if (!asCompleted) return track;
  return { ...track, todos: track.todos.map((todo) => ({ ...todo, status: "completed" })) };
}
