/**
 * The central types. Read this file first.
 *
 * ```
 * Submission (ops) ─▶ decide ─▶ Event (changes) ─▶ evolve ─▶ Track (todos)
 * ```
 *
 * A submission carries ops: what its author wants. `decide` turns it into one event whose changes say
 * what happened, or refuses it. A store keeps the events of a track in order. `evolve` folds them into
 * the track, and every surface draws a pure function of that track.
 *
 * Times are milliseconds since 1970.
 */

import type { Activity } from "./activity/activity.ts";
import type { CallRef, Observation } from "./activity/observation.ts";
import type { TrackUsage } from "./activity/usage.ts";
import type { Proof } from "./checks/proof.ts";
import type { TamperWarning } from "./checks/tamper/warning.ts";
import type { Collision, KnownCollision } from "./collisions/collision.ts";
import type { Guide } from "./guidance/counters.ts";
import type { Plan } from "./plan/plan.ts";
import type { HandledStall, Stall, StallStep } from "./stalls/stall.ts";
import type { ModelText } from "./text/model-text.ts";

/** The statuses of a todo. */
export const STATUSES = ["pending", "in_progress", "completed", "cancelled", "blocked"] as const;
/** The status of a todo. */
export type Status = (typeof STATUSES)[number];

/** The author of a change. */
export type Author = "agent" | "user" | "system";

/** Identifies a track: one agent in one session. */
export interface TrackId {
  readonly session: string;
  /** `main` for the agent that the user talks to, otherwise the id of a subagent. */
  readonly agent: string;
}

/** The optional fields of a todo. */
export interface TodoFields {
  /** The text in the present continuous ("Running the tests"), shown while the todo is in progress. */
  readonly activeText?: string;
  /** The status as the agent spelled it, if that is not one of `STATUSES`. */
  readonly rawStatus?: string;
  /** The phase that the todo belongs to. */
  readonly phase?: string;
  readonly notes?: readonly string[];
  readonly priority?: string;
  /** Id of the parent todo; the agent's own id (`ref`) if no todo of the list has it. */
  readonly parent?: string;
  /** Ids of the todos that block this one, in the form of `parent`. */
  readonly blockedBy?: readonly string[];
  /** Why the todo is blocked. */
  readonly blocker?: string;
  readonly owner?: string;
  /** The id that the agent gave the todo. */
  readonly ref?: string;
  /** References from the author: paths, URLs, notes. They make a completion `reported`, not `verified`. */
  readonly evidence?: readonly string[];
  /** The plan step that the todo was created from, as `PLAN#NUMBER`. */
  readonly planStep?: string;
  /** The text as sent, if it had several lines. Ops may name the todo by it. */
  readonly sentText?: string;
  /** The phase as sent, if it had several lines. Ops may name the phase by it. */
  readonly sentPhase?: string;
  /** The linked team task, as `TASK`, or as `TASK#EPOCH` for one claim of it. */
  readonly task?: string;
}

/** A test, build or other check that was seen to pass. */
export interface Check {
  readonly command: string;
  /** Absent if the host reported success without a code. */
  readonly exitCode?: number;
  readonly at: number;
  /** Signs in the agent's edits, since the todo was started, that checks were made weaker. */
  readonly warnings?: readonly TamperWarning[];
}

/** One entry of a list. */
export interface Todo extends TodoFields {
  /** `1`, `2`, … per track, never reused. This is the id that users type. */
  readonly id: string;
  readonly text: string;
  readonly status: Status;
  readonly createdAt: number;
  /** When the todo was last started. */
  readonly startedAt?: number;
  /** When the todo was last completed or cancelled. */
  readonly finishedAt?: number;
  /** Set if the user added the todo: an agent cannot drop it by leaving it out of a rewritten list. */
  readonly addedBy?: "user";
  /** The author of the current status. */
  readonly movedBy: Author;
  /** The check that verifies the completion. */
  readonly check?: Check;
  /** The last run of an approved check by Waymark. Added when tracks are read; never part of an event. */
  readonly proof?: Proof;
}

/** A todo as its author sends it. On a known todo, an absent field stays unchanged and `null` removes it. */
export type Draft = {
  readonly text: string;
  readonly status?: Status;
} & { readonly [F in keyof TodoFields]?: TodoFields[F] | null };

/** A partial draft: only the fields that are present change. */
export type Patch = { readonly [F in keyof Draft]?: Draft[F] | null };

/** The phase of todos that have none, where a list must have phases. */
export const DEFAULT_PHASE = "Todos";

/** In `plan` mode the list is read-only for the agent. */
export type Mode = "work" | "plan";

/** The user's edits to one todo since the agent last saw the list. A write by the agent must not undo them. */
export interface UnseenEdit {
  readonly id: string;
  /** The text that the agent knows. */
  readonly knownText: string;
  /** The status that the agent knows. */
  readonly knownStatus: Status;
  readonly added?: true;
  /** The todo as it was when the user removed it. */
  readonly removed?: Todo;
  readonly status?: Status;
  /** Fields that the user set; `null` for a removed one. */
  readonly set?: Patch;
  readonly notes?: readonly string[];
}

/** The last list write, if it was refused and no accepted write followed. */
export interface RefusedWrite {
  readonly at: number;
  /** The reason on one line; empty if the agent's program gave none. */
  readonly why: string;
  /** Set if only some operations were refused and the others took effect. */
  readonly partial?: true;
}

/** Everything known about one agent in one session: the fold of its events. */
export interface Track extends TrackId {
  /** Number of the last event; 0 for a track that does not exist yet. */
  readonly version: number;
  /** How often the list changed. Writes that repeat the list do not count. */
  readonly revision: number;
  /** Number of the list within the track, from 1. After a finished list, new todos start the next one. */
  readonly list: number;
  readonly todos: readonly Todo[];
  /** The number that becomes the id of the next todo. */
  readonly nextId: number;
  readonly mode: Mode;
  /** User edits that the agent has not seen. */
  readonly unseen: readonly UnseenEdit[];
  /** Whether the user reordered the list since the agent last saw it. */
  readonly unseenOrder: boolean;
  /** Checks of todos that the user reopened or dropped, by todo id; restored if the user undoes that. */
  readonly setAside?: Readonly<Record<string, Check>>;
  /** The agent's last list write, if it was refused: the list may be out of date. */
  readonly refused?: RefusedWrite;
  /** The agent's explanation of its last list write. */
  readonly explanation?: string;
  readonly openedAt: number;
  readonly updatedAt: number;
  /** When the agent last wrote its list or a host last reported on it. */
  readonly agentAt?: number;
  readonly cwd?: string;
  readonly title?: string;
  /** The first user prompt, if a host reported it. */
  readonly prompt?: string;
  /** Id of the agent program that writes the track, as in `agents/`. */
  readonly agentType?: string;
  /** The agent that started this subagent. */
  readonly parentAgent?: string;
  /** The agent's turns and tool calls, as reported by a host. */
  readonly activity?: Activity;
  /** Tokens that the agent used, as reported by a host. */
  readonly usage?: TrackUsage;
  /** Counters that decide when a reminder is due. */
  readonly guide?: Guide;
  /** The last plan that was drafted or proposed. */
  readonly plan?: Plan;
  /** The session that the list was taken over from. */
  readonly takenFrom?: TrackId;
  /** The session that continues the list. */
  readonly passedTo?: TrackId;
  /** Other agents that use files which this one edits, the most recent last. Until the session ends. */
  readonly collisions?: readonly KnownCollision[];
  /** Steps that Waymark took when the agent stalled or looped, by stall, the most recent last. */
  readonly stalls?: readonly HandledStall[];
}

/** Facts about a track that are known when it is opened. */
export interface Origin {
  readonly cwd?: string;
  readonly title?: string;
  readonly agentType?: string;
  readonly parentAgent?: string;
}

/** Selects the todos that an op applies to. */
export type TodoTarget =
  /** The first todo with exactly this text. */
  | { readonly text: string }
  /** Id, `ref`, text, or a part of the text that occurs in one todo only. */
  | { readonly any: string }
  /** `ref`, or the id of a todo that has no `ref`. */
  | { readonly ref: string }
  | { readonly phase: string }
  | { readonly all: true };

/**
 * One wanted change to a list. `replace` writes the whole list: its todos are matched with the known
 * ones, and known todos without a match are removed. `at` is the path of the op in the input, for
 * error messages.
 */
export type Op = { readonly at?: string } & (
  | { readonly op: "replace"; readonly todos: readonly Draft[] }
  /** Updates the todos whose `ref` is known and appends the others. */
  | { readonly op: "upsert"; readonly todos: readonly Patch[] }
  /** Appends todos. `unique` refuses a text that the list already has. */
  | { readonly op: "add"; readonly todos: readonly Draft[]; readonly unique?: boolean }
  /** Starts a todo; the one in progress becomes pending. */
  | { readonly op: "start"; readonly target: TodoTarget }
  | { readonly op: "finish"; readonly target: TodoTarget; readonly evidence?: string }
  /** Cancels a todo. */
  | { readonly op: "drop"; readonly target: TodoTarget; readonly evidence?: string }
  | { readonly op: "reopen"; readonly target: TodoTarget }
  | { readonly op: "block"; readonly target: TodoTarget; readonly reason?: string }
  | { readonly op: "unblock"; readonly target: TodoTarget }
  | { readonly op: "remove"; readonly target: TodoTarget }
  | { readonly op: "note"; readonly target: TodoTarget; readonly text: string }
  | { readonly op: "edit"; readonly target: TodoTarget; readonly set: Patch }
  /** Moves the todo to an index of the list. */
  | { readonly op: "move"; readonly target: TodoTarget; readonly to: number }
  | { readonly op: "clear" }
  | { readonly op: "mode"; readonly mode: Mode }
);

/** A write: ops and everything that `decide` needs to know about them. */
export interface Submission {
  /** Idempotency key, unique per track: a repeated key has no effect. */
  readonly key: string;
  readonly at: number;
  readonly by: Author;
  /** The tool, command or agent that sent it. */
  readonly via: string;
  readonly ops: readonly Op[];
  /** Entries that were refused before they became ops. */
  readonly refused?: readonly Rejection[];
  /** The author's explanation, stored with the event. */
  readonly comment?: string;
  /** Apply the other ops if one is refused (default: one refusal refuses the submission). */
  readonly partial?: boolean;
  readonly origin?: Origin;
  /** The response shows the author every user edit, so they count as seen. */
  readonly showsEdits?: boolean;
  /** The author's names for our fields, used in rejection messages. */
  readonly fieldNames?: Readonly<Record<string, ModelText>>;
}

/** One fact of an event. Changes are folded by `evolve` and never reinterpreted. */
export type Change =
  | ({ readonly type: "track.opened" } & Origin)
  /** A new, empty list replaces the finished one, which stays in the history. */
  | { readonly type: "list.started"; readonly list: number }
  /** The list of another session continues here, with the same ids. */
  | {
      readonly type: "list.taken";
      readonly from: TrackId;
      readonly list: number;
      readonly nextId: number;
      readonly todos: readonly Todo[];
    }
  /** Another session continues the list. */
  | { readonly type: "list.passed"; readonly to: TrackId }
  | { readonly type: "list.reordered"; readonly order: readonly string[] }
  /** Appends a todo. */
  | { readonly type: "todo.added"; readonly todo: AddedTodo }
  | { readonly type: "todo.moved"; readonly id: string; readonly from: Status; readonly to: Status }
  | { readonly type: "todo.edited"; readonly id: string; readonly set: Patch; readonly was: Patch }
  | { readonly type: "todo.noted"; readonly id: string; readonly note: string }
  | { readonly type: "todo.evidenced"; readonly id: string; readonly evidence: string }
  /** A recorded check verifies the completion. */
  | { readonly type: "todo.verified"; readonly id: string; readonly check: Check }
  | { readonly type: "todo.removed"; readonly id: string }
  | { readonly type: "mode.changed"; readonly mode: Mode }
  /** The agent was shown every user edit. */
  | { readonly type: "edits.shown" }
  /** Activity of the agent, as reported by a host. */
  | { readonly type: "observed"; readonly observations: readonly Observation[] }
  /** The model received a reminder. */
  | {
      readonly type: "reminded";
      readonly kind: ReminderKind;
      readonly moment: ReminderMoment;
      readonly text: ModelText;
      /** Keys of the findings it is about, so that they are not sent again. */
      readonly about?: readonly string[];
      /** The announced call that was denied with the reminder: it never runs. */
      readonly denied?: CallRef;
    }
  /** Another agent uses a file that this one edits. */
  | { readonly type: "collision.found"; readonly collision: Collision }
  /** Waymark took a step because the agent stalled or looped. */
  | { readonly type: "stall.handled"; readonly stall: Stall; readonly step: StallStep }
  | { readonly type: "plan.drafted"; readonly planId: string; readonly delta: string }
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
  | {
      readonly type: "plan.commented";
      readonly planId: string;
      readonly text: string;
      /** Number of the commented step. */
      readonly step?: number;
    }
  /** The steps of the plan became todos. */
  | { readonly type: "plan.adopted"; readonly planId: string };

/** A moment at which a host can add text to the model's context. */
export type ReminderMoment =
  /** A session starts. */
  | "start"
  /** A session is resumed. */
  | "resume"
  /** The conversation was compacted. */
  | "compacted"
  /** A user prompt is about to reach the model. */
  | "prompt"
  /** A call is about to run. */
  | "call"
  /** Tool results are about to reach the model. */
  | "step"
  /** The agent wants to stop. */
  | "stop"
  /** The list tool answers a write. */
  | "write"
  /** The list tool answers a read. */
  | "read";

/** The kinds of reminders. */
export const REMINDER_KINDS = [
  "introduction",
  "initial",
  "empty",
  "stale",
  "edits",
  "refused",
  "changed",
  "evidence",
  "recovery",
  "stop",
  "loop",
  "planning",
  "check",
  "collision",
  "stalled",
] as const;
/** The kind of a reminder. */
export type ReminderKind = (typeof REMINDER_KINDS)[number];

/** A bounded block of text for the model. */
export interface Reminder {
  readonly kind: ReminderKind;
  readonly text: ModelText;
  /** Keys of the findings it is about. */
  readonly about?: readonly string[];
  /** The text is not from the user; a host may hide it from the displayed conversation. */
  readonly isMeta: true;
}

/** A todo as an event adds it. */
export type AddedTodo = Pick<Todo, "id" | "text" | "status"> & TodoFields;

/** One recorded write of a track: what changed, when, by whom. */
export interface Event {
  /** Number within the track, from 1 without gaps. */
  readonly seq: number;
  /** The key of the submission. */
  readonly key: string;
  readonly at: number;
  readonly by: Author;
  readonly via: string;
  readonly changes: readonly Change[];
  readonly comment?: string;
  /** The refused part of a partial submission. */
  readonly rejected?: readonly Rejection[];
  /** User edits that the write would have undone and that were kept, and user todos that it left out. */
  readonly kept?: readonly UnseenEdit[];
}

/** Why a write was refused, as a code for programs. */
export type RejectionCode =
  | "ambiguous"
  | "already_exists"
  | "bad_characters"
  | "conflict"
  | "cycle"
  | "empty_text"
  | "gated"
  | "invalid_input"
  | "invalid_json"
  | "missing_field"
  | "not_found"
  | "plan_mode"
  | "too_deep"
  | "too_large"
  | "too_long"
  | "too_many"
  | "two_active";

/** Why a write was refused, with a message for its sender. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: ModelText;
}

/** The result of `decide`: the event to store, or the reasons for refusing it. */
export type Decision =
  | { readonly ok: true; readonly event: Event }
  | { readonly ok: false; readonly rejected: readonly Rejection[] };

/** The result of a write. */
export interface Outcome {
  /** Whether the whole submission took effect. */
  readonly ok: boolean;
  /** The key was already used: nothing changed now, and `event` is the earlier event. */
  readonly duplicate: boolean;
  readonly event?: Event;
  readonly rejected: readonly Rejection[];
  readonly before: Track;
  readonly after: Track;
}
