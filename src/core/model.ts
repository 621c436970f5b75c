/**
 * Every central type. Read this file first.
 *
 * A submission carries ops (what somebody wants). `decide` turns it into one event whose changes
 * say what happened. A store keeps events in order. `evolve` folds them into a track.
 */

import type { Activity } from "./activity/activity.ts";
import type { Observation } from "./activity/observation.ts";
import type { Guide } from "./guidance/counters.ts";
import type { Plan } from "./plan/plan.ts";
import type { ModelText } from "./text/model-text.ts";

/** The statuses of a todo. */
export const STATUSES = ["pending", "in_progress", "completed", "cancelled", "blocked"] as const;
/** The status of a todo. */
export type Status = (typeof STATUSES)[number];

/** Who wanted a change. */
export type By = "agent" | "user" | "system";

/** One agent in one session. */
export interface TrackId {
  readonly session: string;
  readonly agent: string;
}

/** What can be said of a todo besides its text and status. */
export interface TodoFields {
  /** Present continuous form of the text, shown while the todo is in progress. */
  readonly activeText?: string;
  /** The foreign spelling of the status, kept when it is not one of ours. */
  readonly rawStatus?: string;
  /** Absent: the list has no phases, or the todo stands outside of them. */
  readonly phase?: string;
  readonly notes?: readonly string[];
  readonly priority?: string;
  /** Id of another todo of the list; a foreign id where none of ours is known for it. */
  readonly parent?: string;
  /** Like `parent`. */
  readonly blockedBy?: readonly string[];
  /** Why a blocked todo waits, in words. */
  readonly blocker?: string;
  readonly owner?: string;
  /** The id that the todo came with. */
  readonly ref?: string;
  /** What its author gave as proof: a path, a URL, a note. Given, not verified. */
  readonly evidence?: readonly string[];
  /** The step of a plan that it was made from: `PLAN#NUMBER`. */
  readonly planStep?: string;
  /** Text and phase as they were sent, where they were not one line: the same strings find the todo. */
  readonly sentText?: string;
  readonly sentPhase?: string;
  /** The team's task that it stands for: `TASK`, or `TASK#EPOCH` of a claim. */
  readonly task?: string;
}

/** A test, build or other check that was seen to succeed. */
export interface Check {
  readonly command: string;
  /** Absent where the host only says that it went well. */
  readonly exitCode?: number;
  readonly at: number;
}

/** One entry of a list. */
export interface Todo extends TodoFields {
  /** Ours: "1", "2", … per track, never used twice. What people type. */
  readonly id: string;
  readonly text: string;
  readonly status: Status;
  readonly createdAt: number;
  /** When it last went in progress. */
  readonly startedAt?: number;
  /** When it was last completed or cancelled. */
  readonly finishedAt?: number;
  /** A person added it: an agent that rewrites its list without it does not drop it. */
  readonly addedBy?: "user";
  /** Who set the present status. */
  readonly movedBy: By;
  /** The recorded check that backs its completion. */
  readonly check?: Check;
}

/**
 * A todo as somebody sends it. A field that is absent stays as it was on a known todo;
 * `null` takes it away.
 */
export type Draft = {
  readonly text: string;
  readonly status?: Status;
} & { readonly [F in keyof TodoFields]?: TodoFields[F] | null };

/** A draft of which even the text may be left out: only what is given changes. */
export type Patch = { readonly [F in keyof Draft]?: Draft[F] | null };

/** What the todos outside of any phase are called where everything has a phase. */
export const DEFAULT_PHASE = "Todos";

/** In plan mode the list is read-only. */
export type Mode = "work" | "plan";

/**
 * What a person did to one todo since the agent last saw the list. A later write of the agent
 * that does not know of it must not undo it.
 */
export interface UnseenEdit {
  readonly id: string;
  /** Text and status that the agent knows. */
  readonly knownText: string;
  readonly knownStatus: Status;
  readonly added?: true;
  /** The todo as it was when the person removed it. */
  readonly removed?: Todo;
  readonly status?: Status;
  /** Fields the person set; `null` where one was taken away. */
  readonly set?: Patch;
  readonly notes?: readonly string[];
}

/** A list write that was refused and not followed by an accepted one. */
export interface RefusedWrite {
  readonly at: number;
  /** One line; empty where the agent's program gave no reason. */
  readonly why: string;
  /** Only some of its operations were refused, the others took effect. */
  readonly partial?: true;
}

/** Everything known of one agent in one session. */
export interface Track extends TrackId {
  /** Number of the last event folded in; 0 for a track that does not exist yet. */
  readonly version: number;
  /** How often the list really changed; a write that repeats it does not count. */
  readonly revision: number;
  /** Which list of the track this is, from 1: a finished list makes room for the next. */
  readonly list: number;
  readonly todos: readonly Todo[];
  /** The number that the next todo gets as its id. */
  readonly nextId: number;
  readonly mode: Mode;
  readonly unseen: readonly UnseenEdit[];
  /** The person put the list in another order since the agent last saw it. */
  readonly unseenOrder: boolean;
  /** Proofs of todos that a person reopened or dropped: they hold again if the person takes that back. */
  readonly setAside?: Readonly<Record<string, Check>>;
  /** The agent's last list write, while it stands refused: the list may be out of date. */
  readonly refused?: RefusedWrite;
  /** Why the agent wrote the list as it is, in its own words. */
  readonly explanation?: string;
  readonly openedAt: number;
  readonly updatedAt: number;
  /** When the agent last wrote its list, or was last seen by a host. */
  readonly agentAt?: number;
  readonly cwd?: string;
  readonly title?: string;
  /** The first user prompt, where a host reported it. */
  readonly prompt?: string;
  /** Which agent program writes it, where that is known: the id of an agent. */
  readonly agentType?: string;
  /** The agent whose subagent this is. */
  readonly parentAgent?: string;
  /** What a host reported of the agent's turns and calls. */
  readonly activity?: Activity;
  /** What reminders depend on. */
  readonly guide?: Guide;
  /** The last plan that was drafted or proposed. */
  readonly plan?: Plan;
}

/** What was known of a track before its first todo. */
export interface Origin {
  readonly cwd?: string;
  readonly title?: string;
  readonly agentType?: string;
  readonly parentAgent?: string;
}

/** Which todos an op means. */
export type Target =
  /** The first todo with exactly this text. */
  | { readonly text: string }
  /** By id, foreign id, text, or a part of the text that only one todo has. */
  | { readonly any: string }
  /** By foreign id; by ours where the todo came without one. */
  | { readonly ref: string }
  | { readonly phase: string }
  | { readonly all: true };

/** What somebody wants. `at` says where it stood in what they sent. */
export type Op = { readonly at?: string } & (
  | { readonly op: "replace"; readonly todos: readonly Draft[] }
  /** Changes known todos by foreign id and adds the others at the end. */
  | { readonly op: "upsert"; readonly todos: readonly Patch[] }
  /** Unique: a text that the list already has is refused. */
  | { readonly op: "add"; readonly todos: readonly Draft[]; readonly unique?: boolean }
  | { readonly op: "start"; readonly target: Target }
  | { readonly op: "finish"; readonly target: Target; readonly evidence?: string }
  | { readonly op: "drop"; readonly target: Target; readonly evidence?: string }
  | { readonly op: "reopen"; readonly target: Target }
  | { readonly op: "block"; readonly target: Target; readonly reason?: string }
  | { readonly op: "unblock"; readonly target: Target }
  | { readonly op: "remove"; readonly target: Target }
  | { readonly op: "note"; readonly target: Target; readonly text: string }
  | { readonly op: "edit"; readonly target: Target; readonly set: Patch }
  /** Puts the todo at a place of the list, counted from 0. */
  | { readonly op: "move"; readonly target: Target; readonly to: number }
  | { readonly op: "clear" }
  | { readonly op: "mode"; readonly mode: Mode }
);

/** A write with everything that the rules decide by. */
export interface Submission {
  /** Unique per track: the same key never acts twice. */
  readonly key: string;
  readonly at: number;
  readonly by: By;
  /** The tool, command or dialect that it came through. */
  readonly via: string;
  readonly ops: readonly Op[];
  /** What was already refused before it could become an op. */
  readonly refused?: readonly Rejection[];
  /** Why, in the author's words; kept with the event. */
  readonly comment?: string;
  /** On a refused op the others still apply. Otherwise one refusal refuses all. */
  readonly partial?: boolean;
  readonly origin?: Origin;
  /** The author is shown the answer, and with it everything that a person did to the list. */
  readonly informs?: boolean;
  /** What the author calls our fields, so that a refusal speaks their language. */
  readonly words?: Readonly<Record<string, ModelText>>;
}

/** What happened. */
export type Change =
  | ({ readonly type: "track.opened" } & Origin)
  /** The former list leaves; it stays in the history. */
  | { readonly type: "list.started"; readonly list: number }
  | { readonly type: "list.reordered"; readonly order: readonly string[] }
  /** Goes to the end of the list. */
  | { readonly type: "todo.added"; readonly todo: AddedTodo }
  | { readonly type: "todo.moved"; readonly id: string; readonly from: Status; readonly to: Status }
  | { readonly type: "todo.edited"; readonly id: string; readonly set: Patch; readonly was: Patch }
  | { readonly type: "todo.noted"; readonly id: string; readonly note: string }
  | { readonly type: "todo.evidenced"; readonly id: string; readonly evidence: string }
  /** Activity that was recorded backs the completion. */
  | { readonly type: "todo.verified"; readonly id: string; readonly check: Check }
  | { readonly type: "todo.removed"; readonly id: string }
  | { readonly type: "mode.changed"; readonly mode: Mode }
  /** The agent was told of everything a person did to the list. */
  | { readonly type: "edits.shown" }
  /** What a host saw, reduced to what is needed of it. */
  | { readonly type: "observed"; readonly observations: readonly Observation[] }
  /** The model was told something, in these words. */
  | {
      readonly type: "reminded";
      readonly kind: ReminderKind;
      readonly moment: Moment;
      readonly text: ModelText;
    }
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
      /** Number of the step that it is about. */
      readonly step?: number;
    }
  /** Its steps became todos. */
  | { readonly type: "plan.adopted"; readonly planId: string };

/** When a host can put something before the model. */
export type Moment =
  /** A session begins. */
  | "start"
  | "resume"
  /** The conversation was shortened. */
  | "compacted"
  /** A person's message is on its way to the model. */
  | "prompt"
  /** The results of a step are on their way to the model. */
  | "step"
  /** The agent wants to stop. */
  | "stop"
  /** The list tool answers. */
  | "write";

/** All kinds of reminders. */
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
] as const;
/** What a reminder is about. */
export type ReminderKind = (typeof REMINDER_KINDS)[number];

/** One bounded block for the model. */
export interface Reminder {
  readonly kind: ReminderKind;
  readonly text: ModelText;
  /** From the program and not from a person: a host may leave it out of what it displays. */
  readonly isMeta: true;
}

/** A todo as an event adds it. */
export type AddedTodo = Pick<Todo, "id" | "text" | "status"> & TodoFields;

/** One recorded change of a track: what happened, when, by whom. */
export interface Event {
  /** Place in the track, from 1 without gaps. */
  readonly seq: number;
  readonly key: string;
  readonly at: number;
  readonly by: By;
  readonly via: string;
  readonly changes: readonly Change[];
  readonly comment?: string;
  /** What was refused of a partial submission. */
  readonly rejected?: readonly Rejection[];
  /**
   * What the write would have undone and was kept: edits of a person that the agent had not seen,
   * and todos of a person that it left out.
   */
  readonly kept?: readonly UnseenEdit[];
}

/** Why a write was refused, for programs. */
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

/** A refused intent, worded for whoever sent it. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: ModelText;
}

/** Either the event to keep, or why there is none. */
export type Decision =
  | { readonly ok: true; readonly event: Event }
  | { readonly ok: false; readonly rejected: readonly Rejection[] };

/** What the author of a submission is told. */
export interface Outcome {
  /** Everything that was asked for happened. */
  readonly ok: boolean;
  /** The key was known: nothing happened now, `event` is what happened then. */
  readonly duplicate: boolean;
  readonly event?: Event;
  readonly rejected: readonly Rejection[];
  readonly before: Track;
  readonly after: Track;
}
