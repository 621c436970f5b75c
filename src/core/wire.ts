import type { Activity } from "./activity/activity.ts";
import type { By, Event, Op, Todo, TrackId } from "./model.ts";
import type { Story } from "./views/activity-timeline.ts";
import type { FeedChange, FeedStatus } from "./views/changes.ts";
import type { MergedTrack } from "./views/merged.ts";

/** What the page and the program say to each other. */

export interface TracksAnswer {
  /** Whoever has this goes on from here with `Last-Event-ID`. */
  readonly position: string;
  readonly now: number;
  readonly tracks: readonly MergedTrack[];
  /** Present when the server plays the recorded demo; later changes arrive as the event `demo`. */
  readonly demo?: DemoStatus;
  /** Why the lists may be out of date; later changes arrive as the event `problem`. */
  readonly problem?: string | undefined;
  /** Seconds until a closed todo leaves the display; absent: never. */
  readonly clearDelay?: number;
}

export interface DemoStatus {
  /** The recording has ended: nobody works any more. */
  readonly over: boolean;
  /** When it ended; the page shows all times as of then. */
  readonly overAt?: number;
  /** The server has a board of its own behind the demo: `DELETE /api/demo` returns to it. */
  readonly canLeave?: boolean;
}

/** An agent program that Waymark looks for, as it stands on this machine. */
export interface AgentSummary {
  /** Id of the agent, as in `agentType`. */
  readonly agent: string;
  readonly name: string;
  /** Directories that are searched for its sessions; the home directory is `~`. */
  readonly where: readonly string[];
  /** Its program, its configuration or its sessions are here. */
  readonly found: boolean;
  /** Whether its model has a todo list; `off` only where that is known. */
  readonly list: "on" | "off" | "unknown";
  /** Gives it a list; null where it has one from Waymark or `waymark setup` does not know the agent. */
  readonly command: string | null;
  /** Why its sessions cannot be read. */
  readonly problem?: string;
}

/** What `GET /api/agents` answers. */
export interface AgentsAnswer {
  readonly agents: readonly AgentSummary[];
  /** What a user types to run this program: `waymark`, or Node and a file. */
  readonly program: string;
  /** The directory that the commands work in; absent where they work in any. */
  readonly folder?: string;
}

export interface TrackAnswer extends MergedTrack {
  readonly position: string;
  /** All that happened to the list, oldest first. */
  readonly events: readonly Event[];
  readonly story: Story;
}

/** What a todo said when the person began to edit it. */
export type Base = Readonly<Record<string, Partial<Todo>>>;

export interface OpsRequest {
  readonly ops: readonly Op[];
  /** The same key never acts twice. */
  readonly key: string;
  readonly base?: Base;
}

export interface ConflictAnswer {
  readonly code: "conflict";
  readonly message: string;
  /** The todo as the person knew it, and as it is. */
  readonly yours: Partial<Todo>;
  readonly theirs: Todo;
  readonly by: By;
  readonly at: number;
}

export const PLAN_DECISIONS = ["approve", "reject", "comment", "adopt"] as const;
export type PlanDecision = (typeof PLAN_DECISIONS)[number];

/** A todo is to be a task of the team. */
export interface PromoteRequest {
  readonly todo: string;
}

export interface PromoteAnswer {
  /** The id of the task that the todo stands for. */
  readonly task: string | undefined;
}

export interface PlanRequest {
  readonly decision: PlanDecision;
  readonly comment?: string;
  readonly step?: number;
  /** The `planMark` of the plan that the person read. */
  readonly seen?: string;
  readonly key?: string;
}

/** A track as one part of a path; whoever puts it into a URL encodes it once more. */
export function trackPath({ session, agent }: TrackId): string {
  return `${encoded(session)}~${encoded(agent)}`;
}

/** The address of a track on the page. */
export function pagePath(id: TrackId): string {
  return `/track/${encodeURIComponent(trackPath(id))}`;
}

export function taskPath(id: string): string {
  return `/tasks/${encodeURIComponent(id)}`;
}

/** A tilde divides the two. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("~", "%7E");
}

export function trackOfPath(part: string): TrackId | undefined {
  const [session, agent, more] = part.split("~");
  if (!session || !agent || more !== undefined) return undefined;
  try {
    return { session: decodeURIComponent(session), agent: decodeURIComponent(agent) };
  } catch {
    // No track is called so.
    return undefined;
  }
}

/** Without what only judging needs. */
export function forWire(joined: MergedTrack): MergedTrack {
  const { activity: _, guide: __, ...track } = joined.track;
  return { ...joined, track, ...shownActivity(joined) };
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
