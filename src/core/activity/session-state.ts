import type { Todo } from "../model.ts";
import type { Plan } from "../plan/plan.ts";
import { planSummary } from "../plan/steps.ts";
import { currentOf, isFinished } from "../views/view.ts";
import {
  ACTIVITY_POLICY,
  type Activity,
  type ActivityPolicy,
  findingsAt,
  stateAt,
  type TrackState,
} from "./activity.ts";
import type { Finding } from "./detect.ts";
import type { Waiting } from "./waiting.ts";

/** The states of a session, the same on every surface. */
export const SESSION_STATES = [
  /** Waits for the user: a permission, a question, a plan. */
  "needs_you",
  "working",
  /** A turn is running, but without activity for longer than the stall limit. */
  "stalled",
  /** A turn is running and repeats itself without progress. */
  "looping",
  /** No turn is running. */
  "idle",
  /** No turn is running and every todo is closed. */
  "finished",
  /** The session is over. */
  "ended",
] as const;
/** The state of a session. */
export type SessionState = (typeof SESSION_STATES)[number];

/** The inputs of `stateOf`. */
export interface SessionFacts {
  readonly todos: readonly Pick<Todo, "status">[];
  readonly ended: boolean;
  /** When the list or the session file last changed. */
  readonly updatedAt: number;
  /** Absent if no program reports the agent's activity. */
  readonly activity?: Activity | undefined;
  readonly plan?: Plan | undefined;
  /** When the agent counts as stalled (default: computed from its activity alone). */
  readonly stallsAt?: number | undefined;
  /** Hooks report permission prompts, so `maybe` requests are not guessed. */
  readonly hooked?: boolean | undefined;
}

export function stateOf(
  facts: SessionFacts,
  now: number,
  policy: ActivityPolicy = ACTIVITY_POLICY,
): SessionState {
  const { activity, todos } = facts;
  const waiting = waitingOf(facts, now);
  if (waiting && waiting.kind !== "maybe") return "needs_you";
  const turn = turnOf(facts, now, policy);
  if (turn === "working") return activity?.loop ? "looping" : turn;
  return turn !== "stalled" && isFinished(todos) ? "finished" : turn;
}

function turnOf(facts: SessionFacts, now: number, policy: ActivityPolicy): TrackState {
  const { activity, todos, ended, updatedAt, stallsAt } = facts;
  if (activity && activity.lastAt > 0) return stateAt(activity, ended, now, policy, stallsAt);
  if (ended) return "ended";
  // Without reports, a recent list with a todo in progress is the only sign of work.
  return now - updatedAt < policy.inactiveAfter && currentOf(todos) ? "working" : "idle";
}

/** Silence (ms) after which an open call may be waiting for an approval. */
const MAYBE_AFTER = 60_000;

/** A terminal closed at a prompt never reports an answer, so requests expire after a day. */
const ABANDONED_AFTER = 24 * 60 * 60_000;

/** Tools that usually need permission: shells, edits, fetches. */
const USUALLY_ASKS =
  /^(?:bash|shell|powershell|exec|exec_command|shell_command|local_shell|run_shell_command|run_command|terminal|write|edit|multiedit|notebookedit|write_file|edit_file|replace|create|patch|apply_patch|webfetch|web_fetch|fetch)$/i;

/** Shown while the text of the request is unknown. */
const UNNAMED = { permission: "permission prompt", question: "question", plan: "plan" } as const;

/** The request that the session waits for, if any. */
export function waitingOf(
  { activity, plan, ended, hooked }: SessionFacts,
  now: number,
): Waiting | undefined {
  if (ended) return undefined;
  if (plan?.state === "proposed")
    return { kind: "plan", text: planSummary(plan.text), since: plan.at };
  if (activity?.waiting && now - activity.waiting.since < ABANDONED_AFTER) {
    const { kind, tool, since } = activity.waiting;
    const text = activity.waiting.text || UNNAMED[kind];
    return { kind, text, ...(tool !== undefined && { tool }), since };
  }
  return hooked ? undefined : maybeWaiting(activity, now);
}

function maybeWaiting(activity: Activity | undefined, now: number): Waiting | undefined {
  if (activity?.turn !== "running") return undefined;
  const call = activity.open.findLast(({ name }) => USUALLY_ASKS.test(name));
  const silence = now - activity.lastAt;
  if (!call || silence < MAYBE_AFTER || silence >= ACTIVITY_POLICY.inactiveAfter) return undefined;
  return { kind: "maybe", text: call.label, tool: call.name, since: call.startedAt };
}

/** Counts the user's decision on a plan as activity, so the stall limit restarts there. */
export function sinceDecision(activity: Activity, plan: Plan | undefined): Activity {
  const { decidedAt = 0 } = plan ?? {};
  return activity.turn === "running" && decidedAt > activity.lastAt
    ? { ...activity, lastAt: decidedAt }
    : activity;
}

/** The loop and the stall of a session, as far as its state shows them. */
export function findingsOf(
  activity: Activity,
  state: SessionState,
  now: number,
): readonly Finding[] {
  switch (state) {
    case "looping":
    case "needs_you":
      return findingsAt(activity, "working", now);
    case "finished":
      return [];
    default:
      return findingsAt(activity, state, now);
  }
}

/** The finding to show for a state: the stall if it is stalled, otherwise the loop. */
export function findingFor(findings: readonly Finding[], state: SessionState): Finding | undefined {
  return findings.find(({ kind }) => (kind === "stalled") === (state === "stalled")) ?? findings[0];
}

/** Whether a turn is running or waits for the user. */
export function isActive(state: SessionState): boolean {
  return state === "needs_you" || state === "working" || isStuck(state);
}

/** Whether the session needs attention although a turn is running. */
export function isStuck(state: SessionState): boolean {
  return state === "stalled" || state === "looping";
}
