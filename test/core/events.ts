import {
  ACTIVITY_POLICY,
  type Activity,
  type ActivityPolicy,
  applyObservation,
  observeEvent,
} from "../../src/core/activity/activity.ts";
import type {
  StreamBase,
  StreamBody,
  StreamEvent,
  StreamItem,
} from "../../src/core/stream/events.ts";

/** An event at a time (default: of the main agent of session `s`). */
export function event(body: StreamBody, base: Partial<StreamBase> = {}): StreamEvent {
  return {
    ...body,
    eventId: `s:main:${body.type}:${base.timestamp ?? 1_000}`,
    sessionId: "s",
    agentId: "main",
    agentType: "codex",
    timestamp: 1_000,
    ...base,
  };
}

/** `["x Build it", "> Test it", "  Ship it"]` as a list. */
export function todoList(
  lines: readonly string[],
  base: Partial<StreamBase> = {},
): StreamEvent & { readonly type: "todo_list" } {
  const body = { type: "todo_list" as const, todoId: "s-main", items: lines.map(itemOf) };
  return event(body, base) as StreamEvent & { readonly type: "todo_list" };
}

const STATUS: Readonly<Record<string, StreamItem["status"]>> = {
  x: "completed",
  ">": "in_progress",
  " ": "pending",
  "-": "cancelled",
  "!": "blocked",
};

function itemOf(line: string): StreamItem {
  return { text: line.slice(2), status: STATUS[line[0] ?? ""] ?? "pending" };
}

/** Applies one event of a transcript. */
export function noteActivity(
  activity: Activity,
  event: StreamEvent,
  policy: ActivityPolicy = ACTIVITY_POLICY,
): void {
  const observation = observeEvent(activity, event, event.timestamp);
  if (observation) applyObservation(activity, observation, policy);
}
