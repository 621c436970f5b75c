/**
 * core/stream: one event vocabulary for all agents. Decoders in agents/ emit `StreamEvent`s; `interpret`
 * decides what an event means for a track, `fold` applies it to a session that is read from a
 * transcript, `to-write` turns the list of another program into a write, `from-track` converts our own
 * changes into the same events. `waymark pipe --json` prints one event per line and reads them back.
 */
import type { Usage } from "../activity/usage.ts";
import type { Status, TodoFields } from "../model.ts";

/** A todo in the list of any agent. */
export interface StreamItem
  extends Omit<
    TodoFields,
    "rawStatus" | "ref" | "evidence" | "planStep" | "task" | "sentText" | "sentPhase"
  > {
  readonly text: string;
  readonly status: Status;
  /** The status as the agent spelled it, if that is not one of ours. */
  readonly raw?: string;
  /** The agent's own id. */
  readonly id?: string;
}

/** The fields of every event. */
export interface StreamBase {
  /** Stable: reading the same record again gives the same id. */
  readonly eventId: string;
  readonly sessionId: string;
  /** `main`, or the id of a subagent. */
  readonly agentId: string;
  /** Id of the agent. */
  readonly agentType: string;
  /** Milliseconds since 1970; the time of reading if the record has none. */
  readonly timestamp: number;
}

/** An event as a decoder emits it; the reader adds `StreamBase`. */
export type StreamBody =
  /** The whole list, as accepted by the agent's tool; an empty one clears it. */
  | {
      readonly type: "todo_list";
      readonly todoId: string;
      readonly items: readonly StreamItem[];
      readonly explanation?: string;
      /** The tool that wrote it, if the host reports it. */
      readonly tool?: string;
      /** Assembled from incremental changes: correct only if all of them were read. */
      readonly stepwise?: true;
    }
  | {
      readonly type: "session.started";
      readonly cwd?: string;
      readonly model?: string;
      readonly version?: string;
      readonly title?: string;
      /** The agent that started this subagent. */
      readonly parentId?: string;
      /** The type or name of this subagent. */
      readonly name?: string;
    }
  | { readonly type: "session.ended"; readonly reason?: string }
  /** The conversation was compacted; the model may have lost its list. */
  | { readonly type: "session.compacted"; readonly trigger?: string }
  | { readonly type: "turn.started"; readonly prompt?: string }
  | { readonly type: "turn.completed" }
  | { readonly type: "turn.failed"; readonly message: string }
  | { readonly type: "turn.cancelled" }
  /** The agent waits for the next prompt. Ends a turn whose end was not reported. */
  | { readonly type: "turn.idle" }
  | { readonly type: "message"; readonly role: "user" | "assistant"; readonly text: string }
  | {
      readonly type: "tool.started";
      readonly callId?: string;
      readonly name: string;
      readonly input?: unknown;
    }
  | {
      readonly type: "tool.updated";
      readonly callId?: string;
      readonly name?: string;
      readonly output?: string;
    }
  | {
      readonly type: "tool.completed" | "tool.failed";
      readonly callId?: string;
      readonly name?: string;
      /** The input, repeated by hosts that may not have reported the start. */
      readonly input?: unknown;
      readonly output?: string;
      readonly exitCode?: number;
      /** The command had not ended, or the host knows that its result is unknown. */
      readonly unsure?: true;
    }
  /** The agent's program asks the user and waits for the answer. */
  | {
      readonly type: "input.requested";
      readonly kind: "permission" | "question" | "plan";
      /** The command, file or question, if the program reports it. */
      readonly text?: string;
      readonly tool?: string;
      readonly callId?: string;
      /** The input of the call that waits. */
      readonly input?: unknown;
    }
  /** The user answered, or the request was withdrawn. */
  | { readonly type: "input.resolved" }
  /** A background job: a subagent or a command. Not a todo. */
  | {
      readonly type: "task.started";
      readonly taskId: string;
      readonly title?: string;
      readonly kind?: "agent" | "command";
    }
  | {
      readonly type: "task.completed" | "task.failed";
      readonly taskId: string;
      readonly summary?: string;
    }
  | { readonly type: "plan.delta"; readonly planId: string; readonly delta: string }
  | {
      readonly type: "plan.proposed";
      readonly planId: string;
      readonly text: string;
      readonly path?: string;
    }
  | {
      readonly type: "plan.decided";
      readonly planId: string;
      readonly decision: "approved" | "rejected";
      readonly comment?: string;
    }
  | { readonly type: "mode.changed"; readonly mode: "work" | "plan" }
  /** Tokens that were used since the last such event of the agent. Adding all of them gives its total. */
  | { readonly type: "usage"; readonly model?: string; readonly usage: Usage }
  | {
      readonly type: "warning";
      readonly code: WarningCode;
      readonly message: string;
      /** Set on a refused write of which some operations were applied. */
      readonly partial?: true;
      readonly file?: string;
      readonly line?: number;
    };

/** Why a record could not be read in full. */
export type WarningCode =
  /** The agent's own tool refused the write: nothing changed. */
  | "list_rejected"
  /** The list was written, but the record does not contain it. */
  | "list_unknown"
  /** An invalid entry of a list. */
  | "bad_item"
  /** Not JSON, or not one record. */
  | "bad_line"
  /** Longer or deeper than the limits. */
  | "too_large"
  /** A record that the decoder does not know. */
  | "unknown_record"
  | "unreadable";

/** An event of any agent. */
export type StreamEvent = StreamBase & StreamBody;

const TYPES: Readonly<Record<StreamBody["type"], true>> = {
  todo_list: true,
  "session.started": true,
  "session.ended": true,
  "session.compacted": true,
  "turn.started": true,
  "turn.completed": true,
  "turn.failed": true,
  "turn.cancelled": true,
  "turn.idle": true,
  message: true,
  "tool.started": true,
  "tool.updated": true,
  "tool.completed": true,
  "tool.failed": true,
  "input.requested": true,
  "input.resolved": true,
  "task.started": true,
  "task.completed": true,
  "task.failed": true,
  "plan.delta": true,
  "plan.proposed": true,
  "plan.decided": true,
  "mode.changed": true,
  usage: true,
  warning: true,
};

/** All event types. */
export const STREAM_TYPES = Object.keys(TYPES) as readonly StreamBody["type"][];

export function isStreamType(type: string): type is StreamBody["type"] {
  return Object.hasOwn(TYPES, type);
}
