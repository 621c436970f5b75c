import { refusalReasons } from "../guidance/refusal.ts";
import { diff } from "../list/diff.ts";
import type { Change, Event, Todo, Track } from "../model.ts";
import type { StreamBody, StreamEvent, StreamItem } from "./events.ts";

/**
 * Converts an event of a hosted or relayed list into stream events. Without changes, the difference between
 * the two tracks is used.
 */
export function listEvents(
  { at, changes, comment, rejected = [] }: Pick<Event, "at" | "changes" | "comment" | "rejected">,
  before: Track,
  after: Track,
): readonly StreamEvent[] {
  const { session, agent, agentType = "waymark", version } = after;
  const applied = changes.length > 0 ? changes : diff(before, after);
  const list: StreamBody = {
    type: "todo_list",
    todoId: String(after.list),
    items: after.todos.map(itemOf),
    ...(comment !== undefined && { explanation: comment }),
  };
  const partly = rejected.length > 0 ? [rejectedBody(refusalReasons(rejected))] : [];
  const isList = applied.some(({ type }) => /^(?:todo|list)\./.test(type));
  return [...(isList ? [list] : []), ...applied.flatMap(bodyOf), ...partly].map((body) => ({
    ...body,
    eventId: `${session}:${agent}:${body.type}:waymark.${version}`,
    sessionId: session,
    agentId: agent,
    agentType,
    timestamp: at,
  }));
}

/** A todo as an item of a list event, with our id. */
export function itemOf(todo: Todo): StreamItem {
  const { createdAt, startedAt, finishedAt, movedBy, addedBy, check, rawStatus, ...rest } = todo;
  const { ref, evidence, planStep, task, sentText, sentPhase, ...item } = rest;
  return { ...item, ...(rawStatus !== undefined && { raw: rawStatus }) };
}

function bodyOf(change: Change): readonly StreamBody[] {
  switch (change.type) {
    case "plan.drafted":
      return [{ ...change, type: "plan.delta" }];
    case "plan.proposed":
    case "plan.decided":
    case "mode.changed":
      return [change];
    case "observed":
      return change.observations.flatMap((seen) =>
        seen.type === "list.refused" && !seen.partial ? [rejectedBody(seen.why ?? "")] : [],
      );
    default:
      return [];
  }
}

function rejectedBody(message: string): StreamBody {
  return { type: "warning", code: "list_rejected", message };
}
