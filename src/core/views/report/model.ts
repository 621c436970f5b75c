/**
 * core/views/report: what happened in a window of time, for people who were away. `report` puts it together,
 * `todos` finds the todos that changed, `stuck` and `sessions` say how each session stands, `commits` matches
 * commits, `cost` sums usage, `headline` writes the first sentence, `away` counts. No model is involved.
 */
import type { Waiting } from "../../activity/waiting.ts";
import type { CostSum } from "../../cost/cost.ts";
import type { Prices } from "../../cost/price.ts";
import type { Event, Status, TrackId } from "../../model.ts";
import type { ActivityTimeline } from "../activity-timeline.ts";
import type { EvidenceLevel } from "../evidence.ts";
import type { MergedTrack } from "../merged.ts";

/** The time that a report covers, from `since` up to `until`. */
export interface ReportWindow {
  readonly since: number;
  readonly until: number;
}

/** A track as a report reads it. */
export interface ReportedTrack {
  readonly merged: MergedTrack;
  /** All events of its list; without them, earlier lists and removed todos are unknown. */
  readonly events?: readonly Event[];
  /** The calls of the agent; without them, failed checks are unknown. */
  readonly timeline?: ActivityTimeline;
}

/** A commit in the directory of a session. */
export interface ReportCommit {
  readonly hash: string;
  readonly at: number;
  readonly subject: string;
  /** Paths of the changed files, relative to `root`. */
  readonly files: readonly string[];
  /** The directory of the repository. */
  readonly root: string;
  /** Working directories of sessions in the repository. */
  readonly directories: readonly string[];
}

/** Everything that a report is computed from. */
export interface ReportInput {
  readonly tracks: readonly ReportedTrack[];
  readonly window: ReportWindow;
  readonly now: number;
  readonly commits?: readonly ReportCommit[];
  /** Repositories whose log could not be read, so commits may be missing. */
  readonly unreadLogs?: readonly string[];
  readonly prices?: Prices;
  /** The subject of the headline (default: from the window). */
  readonly noun?: ReportNoun;
  /** An IANA time zone name (default: the system's zone). */
  readonly timeZone?: string;
}

export type ReportNoun = "night" | "day" | "session" | "time";

/** How a session stands at the end of the window; `unchanged` if its list did not change in the window. */
export const OUTCOMES = [
  "failed",
  "stuck",
  "waiting",
  "open",
  "unproven",
  "proven",
  "unchanged",
  "no list",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type StuckKind =
  | "failed turn"
  | "failed check"
  | "looping"
  | "stalled"
  | "stopped"
  | "blocked";

/** Why a session makes no progress. */
export interface Stuck {
  readonly kind: StuckKind;
  /** The command or the blocker; empty if unknown. */
  readonly on: string;
  /** Undefined if it is not known. */
  readonly since?: number;
  /** `since` is the earliest known time; it may have begun before. */
  readonly atLeast?: true;
  /** How often the call was repeated. */
  readonly count?: number;
  readonly exitCode?: number;
}

/** The session of an entry. */
export interface SessionRef extends TrackId {
  readonly agentType?: string;
  readonly title: string;
  /** Last part of the working directory. */
  readonly project: string;
  readonly cwd?: string;
  readonly machine?: string;
}

/** A commit that belongs to a todo by time and files. Always inferred: git does not record todos. */
export interface MatchedCommit {
  readonly hash: string;
  readonly at: number;
  readonly subject: string;
  readonly inferred: true;
  /** Files of the commit that the agent edited while it worked on the todo. */
  readonly files: readonly string[];
}

/** A todo that changed in the window, or a session without such a todo that is stuck or waits. */
export interface ReportEntry extends SessionRef {
  /** Id of the todo; absent for an entry about the whole session. */
  readonly todo?: string;
  readonly text: string;
  readonly status?: Status | "removed";
  /** The evidence for a completed todo. */
  readonly level?: EvidenceLevel;
  readonly startedAt?: number;
  readonly finishedAt?: number;
  readonly durationMs?: number;
  readonly stuck?: Stuck;
  readonly waiting?: Waiting;
  readonly usage?: CostSum;
  readonly commits?: readonly MatchedCommit[];
}

/** One session with its subagents. */
export interface ReportSession extends SessionRef {
  readonly outcome: Outcome;
  readonly completed: number;
  readonly total: number;
  /** How many completed todos are verified or reproduced. */
  readonly proven: number;
  /** How many completed todos are reproduced. */
  readonly reproduced: number;
  readonly open: number;
  readonly stuck?: Stuck;
  readonly waiting?: Waiting;
  /** The revision of the plan that waits, and its steps. */
  readonly plan?: { readonly id: string; readonly steps: number };
  /** The last check that passed. */
  readonly check?: { readonly command: string; readonly at: number };
  readonly lastEditAt?: number;
  /** First and last activity within the window. */
  readonly from: number;
  readonly to: number;
  /** Whether a turn was running at the end of the window. */
  readonly isActive: boolean;
  readonly usage: CostSum;
  readonly commits: number;
}

/** A plan that was decided in the window. */
export interface DecidedPlan extends SessionRef {
  readonly planId: string;
  readonly decision: "approved" | "rejected";
  readonly at: number;
  readonly by: "you" | "agent";
}

/** A commit in the window. */
export interface ListedCommit extends ReportCommit {
  /** The todo that it belongs to, if one fits. */
  readonly todo?: TrackId & { readonly todo: string; readonly text: string };
}

/** Usage of one agent type. */
export interface AgentCost {
  readonly agentType: string;
  readonly usage: CostSum;
}

/** Everything that agents did in a window of time. */
export interface Report extends ReportWindow {
  readonly noun: ReportNoun;
  /** The verdict in one sentence. */
  readonly headline: string;
  /** Whether the headline is bad news. */
  readonly verdict: "failed" | "stuck" | "unproven" | "waiting" | "open" | "good" | "empty";
  /** The counts in one or two sentences. */
  readonly summary: string;
  readonly sessions: readonly ReportSession[];
  /** Completed and verified or reproduced. */
  readonly finished: readonly ReportEntry[];
  /** Completed without proof. */
  readonly unverified: readonly ReportEntry[];
  readonly open: readonly ReportEntry[];
  readonly stuck: readonly ReportEntry[];
  readonly needsYou: readonly ReportEntry[];
  /** Cancelled or removed. */
  readonly cancelled: readonly ReportEntry[];
  readonly plans: readonly DecidedPlan[];
  readonly commits: readonly ListedCommit[];
  readonly unreadLogs: readonly string[];
  readonly cost: CostSum;
  readonly costByAgent: readonly AgentCost[];
  /** Models whose price is unknown: their tokens are counted, their cost is not. */
  readonly unpricedModels: readonly string[];
  /** Agent types without records of usage. */
  readonly uncounted: readonly string[];
  readonly expensive: readonly ReportEntry[];
  readonly longest: readonly ReportEntry[];
}
