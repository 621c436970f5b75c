import type { Activity } from "./activity/activity.ts";
import type { MuteKind } from "./activity/mute.ts";
import type { RunStatus } from "./checks/wire.ts";
import type { Price } from "./cost/price.ts";
import type { Author, Event, Op, Todo, TrackId } from "./model.ts";
import type { PlanRevision } from "./plan/revisions.ts";
import type { ActivityTimeline } from "./views/activity-timeline.ts";
import type { FeedChange, FeedStatus } from "./views/changes.ts";
import type { MergedTrack } from "./views/merged.ts";
import type { AwayCounts } from "./views/report/away.ts";

/** Requests and responses of the HTTP API that the page uses. */

export interface TracksResponse {
  /** Event cursor: send it as `Last-Event-ID` to receive the events after this response. */
  readonly position: string;
  readonly now: number;
  readonly tracks: readonly MergedTrack[];
  /** Present when the server plays the recorded demo; later changes arrive as the event `demo`. */
  readonly demo?: DemoStatus;
  /** Why the lists may be out of date; later changes arrive as the event `problem`. */
  readonly problem?: string | undefined;
  /** Seconds until a closed todo leaves the display; absent: never. */
  readonly clearDelay?: number;
  /** The user's own prices of models, which precede the list of this version. */
  readonly prices?: readonly (readonly [model: string, prices: readonly Price[]])[];
  /** Checks that are running; absent where none can be run. Later changes arrive as the event `verify`. */
  readonly runs?: readonly RunStatus[];
}

export interface DemoStatus {
  /** Whether the recording has ended. */
  readonly over: boolean;
  /** When it ended; the page computes all durations up to then. */
  readonly overAt?: number;
  /** The server also has real sessions: `DELETE /api/demo` switches to them. */
  readonly canLeave?: boolean;
}

/** An agent program that Waymark supports, as found on this machine. */
export interface AgentSummary {
  /** Id of the agent, as in `agentType`. */
  readonly agent: string;
  readonly name: string;
  /** Directories that are searched for sessions; the home directory is written as `~`. */
  readonly where: readonly string[];
  /** Whether its program, its configuration or a session was found. */
  readonly found: boolean;
  /** Whether its model has a todo list. */
  readonly list: "on" | "off" | "unknown";
  /** The command that gives it a list; null if it has Waymark's list or `waymark setup` does not support it. */
  readonly command: string | null;
  /** Why its sessions cannot be read. */
  readonly problem?: string;
}

/** The response of `GET /api/agents`. */
export interface AgentsResponse {
  readonly agents: readonly AgentSummary[];
  /** How to run this program: `waymark`, or `node` and a file. */
  readonly program: string;
  /** The directory to run the commands in; absent if they work in any directory. */
  readonly folder?: string;
}

/** The response of `GET /api/away`. */
export interface AwayResponse extends AwayCounts {
  readonly headline: string;
}

/** The response of `POST /api/report/link`: where the report is, for ten minutes. */
export interface ReportLinkResponse {
  readonly path: string;
}

export interface TrackResponse extends MergedTrack {
  readonly position: string;
  /** The events of the list, oldest first. */
  readonly events: readonly Event[];
  readonly story: ActivityTimeline;
}

/** The todos as they were when the user began to edit them, by id. */
export type EditBase = Readonly<Record<string, Partial<Todo>>>;

export interface OpsRequest {
  readonly ops: readonly Op[];
  /** Idempotency key. */
  readonly key: string;
  readonly base?: EditBase;
}

export interface ConflictResponse {
  readonly code: "conflict";
  readonly message: string;
  /** The todo as the user saw it. */
  readonly yours: Partial<Todo>;
  /** The todo as it is now. */
  readonly theirs: Todo;
  readonly by: Author;
  readonly at: number;
}

export const PLAN_DECISIONS = ["approve", "reject", "comment", "adopt"] as const;
export type PlanDecision = (typeof PLAN_DECISIONS)[number];

/** Archives sessions, or shows them again. */
export interface ArchiveRequest {
  readonly sessions: readonly {
    readonly session: string;
    /** When the session last changed, as the user saw it: a later change shows it again. */
    readonly seen: number;
  }[];
  readonly archived: boolean;
}

/** When a mute ends; `none` ends it now. */
export const MUTE_ENDS = ["hour", "change", "session", "none"] as const;

/** Mutes a finding of a session, or shows it again. */
export interface MuteRequest {
  readonly kind: MuteKind;
  readonly end: (typeof MUTE_ENDS)[number];
}

/** Promotes a todo to a team task. */
export interface PromoteRequest {
  readonly todo: string;
}

export interface PromoteResponse {
  /** The id of the linked task. */
  readonly task: string | undefined;
}

export interface PlanRequest {
  readonly decision: PlanDecision;
  readonly comment?: string;
  readonly step?: number;
  /** The `planFingerprint` of the plan that the user read. */
  readonly seen?: string;
  readonly key?: string;
}

/** The response of `GET /api/tracks/:id/plan`. */
export interface RevisionsResponse {
  /** Oldest first. */
  readonly revisions: readonly PlanRevision[];
}

/** A track id as one path segment. Encode it once more for a URL. */
export function trackPath({ session, agent }: TrackId): string {
  return `${encoded(session)}~${encoded(agent)}`;
}

/** The path of a track on the page. */
export function pagePath(id: TrackId): string {
  return `/track/${encodeURIComponent(trackPath(id))}`;
}

export function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}

/** Escapes `~`, which separates session and agent. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("~", "%7E");
}

export function parseTrackPath(part: string): TrackId | undefined {
  const [session, agent, more] = part.split("~");
  if (!session || !agent || more !== undefined) return undefined;
  try {
    return { session: decodeURIComponent(session), agent: decodeURIComponent(agent) };
  } catch {
    // Malformed escapes name no track.
    return undefined;
  }
}

/** A track without the data that only rules need. */
export function forWire(merged: MergedTrack): MergedTrack {
  const { activity: _, guide: __, usage: ___, ...track } = merged.track;
  return { ...merged, track, ...shownActivity(merged) };
}

export function changeForWire(change: FeedChange): FeedChange {
  switch (change.type) {
    case "opened":
      return { type: "opened", track: forWire(change.track) };
    case "status": {
      const status: FeedStatus = { ...change.status, ...shownActivity(change.status) };
      return { type: "status", status };
    }
    default:
      return change;
  }
}

function shownActivity({ activity }: { readonly activity?: Activity }) {
  return activity ? { activity: { ...activity, calls: [] } } : {};
}
