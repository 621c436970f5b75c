import type { Status } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { AGENT_TYPES } from "./agent-types.ts";

/** A list in the JSONL output of agent-chatter. */
export interface AgentChatterEvent {
  readonly type: "todo_list";
  readonly eventId: string;
  readonly agentId: string;
  readonly agentType: string;
  readonly timestamp: number;
  readonly todoId: string;
  readonly items: readonly { readonly text: string; readonly status: Status }[];
}

const THEIR_TYPES = new Map(Object.entries(AGENT_TYPES).map(([theirs, ours]) => [ours, theirs]));

/** Encodes a list. Returns undefined for other events. The format has no blocked status; such todos are pending. */
export function agentChatterEvent(
  event: StreamEvent,
  newId: (eventId: string) => string,
): AgentChatterEvent | undefined {
  if (event.type !== "todo_list") return undefined;
  const { eventId, agentId, agentType, timestamp, todoId, items } = event;
  return {
    type: "todo_list",
    eventId: newId(eventId),
    agentId,
    agentType: THEIR_TYPES.get(agentType) ?? agentType,
    timestamp,
    todoId,
    items: items.map(({ text, status }) => ({
      text,
      status: status === "blocked" ? "pending" : status,
    })),
  };
}
