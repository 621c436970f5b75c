import { ACTIVITY_POLICY, emptyActivity, longestRun } from "../activity/activity.ts";
import { loopKey, type MuteKind, stateWithout } from "../activity/mute.ts";
import { type SessionState, stateOf, waitingOf } from "../activity/session-state.ts";
import { STALL_POLICY, type StallPolicy } from "../activity/stall.ts";
import type { Waiting } from "../activity/waiting.ts";
import { type EvidenceState, evidenceStateOf } from "../checks/evidence-state.ts";
import type { Status, Track } from "../model.ts";
import { titleOf } from "./title.ts";
import { currentOf, isFinished, isOpen, nextOf } from "./view.ts";

/** The status line data of a track. Small, and computed when the track changes instead of when it is shown. */
export interface SessionSummary {
  readonly session: string;
  readonly agent: string;
  readonly agentType?: string;
  readonly title?: string;
  readonly cwd?: string;
  readonly updatedAt: number;
  /**
   * One letter per todo that is not cancelled: `v` proven (verified or reproduced), `r` reported, `u` not
   * proven otherwise, `n` now, `o` open. Older versions wrote `c` for every completed todo without a check.
   */
  readonly todos: string;
  readonly finished: boolean;
  readonly now?: { readonly text: string; readonly since?: number };
  readonly next?: string;
  /** The request that waits for the user. */
  readonly waiting?: Waiting;
  /** Written by older versions if a plan waited. */
  readonly asks?: true;
  readonly turn: "none" | "running" | "ended";
  /** When the agent was last active. */
  readonly heardAt: number;
  /** The running call. */
  readonly inside?: string;
  /** The longest earlier run of the running command, in milliseconds. */
  readonly longest?: number;
  readonly loop?: {
    readonly label: string;
    readonly count: number;
    /** Identifies it for the user's mutes; absent in files of older versions. */
    readonly key?: string;
  };
  /** Findings that the user muted. Never stored: a mute can start and end while the track does not change. */
  readonly muted?: ReadonlySet<MuteKind>;
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
    todos: lettersOf(todos.slice(0, MAX_TODOS)),
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
    ...(loop && {
      loop: {
        label: loop.label,
        count: loop.count,
        key: loopKey(loop, activity?.turnStartedAt),
      },
    }),
  };
}

/** The state of the session, computed like on every other surface. */
export function summaryState(
  summary: SessionSummary,
  now: number,
  stall: StallPolicy = STALL_POLICY,
): SessionState {
  const {
    waiting,
    asks,
    turn,
    heardAt,
    inside,
    longest = 0,
    loop,
    todos,
    updatedAt,
    muted,
  } = summary;
  if (waiting || asks) return "needs_you";
  const state = stateOf(
    {
      todos: [...todos].map((letter) => ({ status: STATUS_OF[letter] ?? "pending" })),
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
  return muted ? stateWithout(state, muted, loop !== undefined && !muted.has("looping")) : state;
}

const STATUS_OF: Readonly<Record<string, Status>> = {
  v: "completed",
  r: "completed",
  u: "completed",
  c: "completed",
  n: "in_progress",
  o: "pending",
};

function turnOf(activity: Track["activity"]): SessionSummary["turn"] {
  if (!activity || activity.turn === "none") return "none";
  return activity.turn === "running" ? "running" : "ended";
}

const EVIDENCE_LETTERS = {
  reproduced: "v",
  verified: "v",
  reported: "r",
  unverified: "u",
  stale: "u",
  warned: "u",
  failed: "u",
} as const satisfies Record<EvidenceState, string>;

/** Completed todos first, in the order of a progress bar. */
function lettersOf(todos: Track["todos"]): string {
  const letters = { v: 0, r: 0, u: 0, n: 0, o: 0 };
  for (const todo of todos) {
    if (todo.status === "in_progress") letters.n++;
    else if (isOpen(todo)) letters.o++;
    else if (todo.status === "completed") letters[EVIDENCE_LETTERS[evidenceStateOf(todo)]]++;
  }
  return Object.entries(letters)
    .map(([letter, count]) => letter.repeat(count))
    .join("");
}
