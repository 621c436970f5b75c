import { ACTIVITY_POLICY, emptyActivity, longestRun } from "../activity/activity.ts";
import { type SessionState, stateOf, waitingOf } from "../activity/session-state.ts";
import { STALL_POLICY, type StallPolicy } from "../activity/stall.ts";
import type { Waiting } from "../activity/waiting.ts";
import type { Status, Track } from "../model.ts";
import { titleOf } from "./title.ts";
import { currentOf, isFinished, nextOf } from "./view.ts";

/** What one line can say of a track. Small, and made when the track changes, not when it is shown. */
export interface SessionSummary {
  readonly session: string;
  readonly agent: string;
  readonly agentType?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly updatedAt: number;
  /** Of the todos that are not cancelled: v verified, c claimed or given, n now, o open. */
  readonly todos: string;
  readonly finished: boolean;
  readonly now?: { readonly text: string; readonly since?: number };
  readonly next?: string;
  /** What it waits for the user to decide. */
  readonly waiting?: Waiting;
  /** Written by older versions: a plan waits. */
  readonly asks?: true;
  readonly turn: "none" | "running" | "ended";
  /** When the agent was last heard of. */
  readonly heardAt: number;
  /** The call that is under way. */
  readonly inside?: string;
  /** How long the command that runs took at most, in earlier runs. */
  readonly longest?: number;
  readonly loop?: { readonly label: string; readonly count: number };
}

const MAX_TEXT = 200;
const MAX_TODOS = 1_000;

export function summaryOf(track: Track): SessionSummary {
  const { session, agent, agentType, cwd, todos, activity, plan } = track;
  const now = currentOf(todos);
  const next = nextOf(todos);
  const { loop } = activity ?? {};
  const facts = { todos, ended: false, updatedAt: track.updatedAt, activity, plan, hooked: true };
  const waiting = waitingOf(facts, track.updatedAt);
  const inside = activity?.open.at(-1)?.label;
  const longest = activity ? longestRun(activity) : 0;
  return {
    session,
    agent,
    ...(agentType !== undefined && { agentType }),
    title: titleOf({ track }).slice(0, MAX_TEXT),
    ...(cwd !== undefined && { cwd }),
    updatedAt: track.updatedAt,
    todos: signsOf(todos.slice(0, MAX_TODOS)),
    finished: isFinished(todos),
    ...(now && {
      now: {
        text: (now.activeText ?? now.text).slice(0, MAX_TEXT),
        ...(now.startedAt !== undefined && { since: now.startedAt }),
      },
    }),
    ...(next && { next: next.text.slice(0, MAX_TEXT) }),
    ...(waiting && { waiting }),
    turn: turnOf(activity),
    heardAt: Math.max(track.agentAt ?? track.updatedAt, activity?.lastAt ?? 0),
    ...(inside !== undefined && { inside }),
    ...(longest > 0 && { longest }),
    ...(loop && { loop: { label: loop.label, count: loop.count } }),
  };
}

/** The same state as on every other surface, from the little that a summary keeps. */
export function summaryState(
  summary: SessionSummary,
  now: number,
  stall: StallPolicy = STALL_POLICY,
): SessionState {
  const { waiting, asks, turn, heardAt, inside, longest = 0, loop, todos, updatedAt } = summary;
  if (waiting || asks) return "needs_you";
  return stateOf(
    {
      todos: [...todos].map((sign) => ({ status: STATUS_OF[sign] ?? "pending" })),
      ended: false,
      updatedAt,
      hooked: true,
      activity: {
        ...emptyActivity(),
        turn: turn === "ended" ? "completed" : turn,
        lastAt: turn === "none" ? 0 : heardAt,
        ...(inside !== undefined && {
          open: [{ name: "", label: inside, startedAt: heardAt, signature: "" }],
          slow: [{ label: inside, longest }],
        }),
        ...(loop && {
          loop: {
            ...loop,
            kind: "generic_repeat" as const,
            level: "warning" as const,
            message: "",
          },
        }),
      },
    },
    now,
    { ...ACTIVITY_POLICY, ...stall },
  );
}

const STATUS_OF: Readonly<Record<string, Status>> = {
  v: "completed",
  c: "completed",
  n: "in_progress",
  o: "pending",
};

function turnOf(activity: Track["activity"]): SessionSummary["turn"] {
  if (!activity || activity.turn === "none") return "none";
  return activity.turn === "running" ? "running" : "ended";
}

/** Done first, as bars are drawn. */
function signsOf(todos: Track["todos"]): string {
  const signs = { v: 0, c: 0, n: 0, o: 0 };
  for (const { status, check } of todos) {
    if (status === "completed") signs[check ? "v" : "c"]++;
    else if (status === "in_progress") signs.n++;
    else if (status !== "cancelled") signs.o++;
  }
  return Object.entries(signs)
    .map(([sign, count]) => sign.repeat(count))
    .join("");
}
