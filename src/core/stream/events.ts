/**
 * core/stream: one event vocabulary for all agents. Decoders in agents/ emit `StreamEvent`s; `interpret`
 * decides what an event means for a track, `fold` applies it to a session that is read from a
 * transcript, `to-write` turns a foreign list into a submission, `from-track` prints our own changes
 * in the same vocabulary.
 */
import type { Status, TodoFields } from "../model.ts";

/**
 * One vocabulary for what every agent writes: printed one object a line by `waymark pipe --json`,
 * read back as it is, folded into tracks.
 */

/** A todo as its agent wrote it, in our words. */
export interface StreamItem
  extends Omit<
    TodoFields,
    "rawStatus" | "ref" | "evidence" | "planStep" | "task" | "sentText" | "sentPhase"
  > {
  readonly text: string;
  readonly status: Status;
  /** The agent's own spelling of the status, where it is not ours. */
  readonly raw?: string;
  /** The agent's own id. */
  readonly id?: string;
}

/** On every event. */
export interface StreamBase {
  /** The same whenever the same record is read again. */
  readonly eventId: string;
  readonly sessionId: string;
  /** `main`, or the id of a subagent. */
  readonly agentId: string;
  /** Id of the agent. */
  readonly agentType: string;
  /** Milliseconds since 1970; of the reading where the record does not say. */
  readonly timestamp: number;
}

/** What a decoder says; the reader adds what is common. */
export type StreamBody =
  /** The whole list, as accepted; an empty one clears. */
  | {
      readonly type: "todo_list";
      readonly todoId: string;
      readonly items: readonly StreamItem[];
      readonly explanation?: string;
      /** The tool that wrote it, where the host reports it. */
      readonly tool?: string;
      /** Put together from single steps: right only if all of them were read. */
      readonly stepwise?: true;
    }
  | {
      readonly type: "session.started";
      readonly cwd?: string;
      readonly model?: string;
      readonly version?: string;
      readonly title?: string;
      /** Of a subagent: the agent that started it. */
      readonly parentId?: string;
      /** Of a subagent: what kind it is or what it is called. */
      readonly name?: string;
    }
  | { readonly type: "session.ended"; readonly reason?: string }
  /** The conversation was shortened; what the model knew of its list may be gone. */
  | { readonly type: "session.compacted"; readonly trigger?: string }
  | { readonly type: "turn.started"; readonly prompt?: string }
  | { readonly type: "turn.completed" }
  | { readonly type: "turn.failed"; readonly message: string }
  | { readonly type: "turn.cancelled" }
  /** The agent waits for the next prompt; the end of its turn may have gone unreported. */
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
      /** The input again, from hosts that may not have reported the start. */
      readonly input?: unknown;
      readonly output?: string;
      readonly exitCode?: number;
      /** The command had not ended, or the host knows that its result is not known. */
      readonly unsure?: true;
    }
  /** The agent's program asks its user and waits for the answer. */
  | {
      readonly type: "input.requested";
      readonly kind: "permission" | "question" | "plan";
      /** The command, file or question; absent where the program does not repeat it. */
      readonly text?: string;
      readonly tool?: string;
      readonly callId?: string;
      /** The input of the call that waits. */
      readonly input?: unknown;
    }
  /** The user answered, or the request was withdrawn. */
  | { readonly type: "input.resolved" }
  /** A job beside the turn: a subagent, or a command in the background. It is no todo. */
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
  | {
      readonly type: "warning";
      readonly code: WarningCode;
      readonly message: string;
      /** Of a refused write: some of its operations were applied. */
      readonly partial?: true;
      readonly file?: string;
      readonly line?: number;
    };

/** Why a record could not be read in full. */
export type WarningCode =
  /** The agent's own tool refused the write: nothing changed. */
  | "list_rejected"
  /** The list was written, but what it says cannot be known from the record. */
  | "list_unknown"
  /** An entry of a list that is none. */
  | "bad_item"
  /** Not JSON, or not one record. */
  | "bad_line"
  /** Longer or deeper than is read. */
  | "too_large"
  /** A shape that the dialect does not know. */
  | "unknown_record"
  | "unreadable";

/** An event of any agent, in one vocabulary. */
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
  warning: true,
};

/** The types of all events. */
export const STREAM_TYPES = Object.keys(TYPES) as readonly StreamBody["type"][];

export function isStreamType(type: string): type is StreamBody["type"] {
  return Object.hasOwn(TYPES, type);
}
