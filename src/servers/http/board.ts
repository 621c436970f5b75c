import type { PriceTable } from "../../core/cost/price.ts";
import type { ChangedFiles } from "../../core/files/changed-files.ts";
import type { Event, Outcome, Rejection, Todo, Track, TrackId } from "../../core/model.ts";
import type { PlanRevision } from "../../core/plan/revisions.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { ActivityTimeline } from "../../core/views/activity-timeline.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import {
  type ConflictResponse,
  type DemoStatus,
  forWire,
  type PromoteResponse,
  parseTrackPath,
  type RevisionsResponse,
  type TrackResponse,
  type TracksResponse,
} from "../../core/wire.ts";
import { promoteTodos } from "../../tasks/links/promote.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { List, Tracker } from "../../tracker.ts";
import { CHANGED, decideAsUser, editAsUser } from "../user-edits.ts";
import type { Broadcast } from "./broadcast.ts";
import { type CallParts, callRoutes } from "./call-routes.ts";
import { type CheckParts, checkRoutes } from "./checks/routes.ts";
import { muteRoute } from "./mute-route.ts";
import { readOps, readPlanRequest, readPromoteRequest } from "./requests.ts";
import { HttpError, type RequestContext, type Route, readJson, sendJson } from "./routes.ts";
import { taskRefusal } from "./tasks/routes.ts";

/** Data sources of the board routes. */
export interface BoardParts {
  tracks(): readonly MergedTrack[];
  /** The history of a list, and the activity of its agent. */
  past(
    id: TrackId,
  ): Promise<{ readonly events: readonly Event[]; readonly story: ActivityTimeline }>;
  /** The files that an agent changed. */
  files(id: TrackId): Promise<ChangedFiles>;
  /** Opens Waymark's own lists for writing; absent if another home directory is shown. */
  writing?: () => Promise<Tracker>;
  /** Opens the task store; absent if another home directory is shown. */
  tasks?: () => Promise<TaskStore>;
  readonly broadcast: Broadcast;
  /** Present when the recorded demo is shown. */
  demo?: () => DemoStatus;
  /** Why the lists may be out of date; later changes arrive as the event `problem`. */
  problem?: () => string | undefined;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
  /** The user's own prices of models. */
  readonly prices?: PriceTable | undefined;
  /** The directory that keeps the user's mutes; absent if another home directory is shown. */
  readonly mutesIn?: string | undefined;
  /** Runs checks; absent where nothing may run. */
  readonly checks?: CheckParts["checks"];
  /** Reads the revisions of a plan. */
  readonly readRevisions?: (id: TrackId) => Promise<readonly PlanRevision[]>;
  /** Reads a tool call from the agent's own files. */
  readonly readCall?: CallParts["read"];
}

/** Open event streams; each takes a connection. More than a user has pages open. */
const MAX_SUBSCRIBERS = 256;
const VIA = "web";

export function boardRoutes(parts: BoardParts): readonly Route[] {
  const { broadcast } = parts;

  const found = ({ params }: RequestContext): MergedTrack => {
    const id = parseTrackPath(params.id ?? "");
    const key = id && trackKey(id);
    const track = parts.tracks().find((each) => trackKey(each.track) === key);
    if (!track)
      throw new HttpError(404, "unknown_track", "Unknown session. It may have been removed.");
    return track;
  };
  const listOf = async (id: TrackId, isOurs: boolean): Promise<List> => {
    if (!isOurs || !parts.writing) throw notOurs();
    return (await parts.writing()).list(id);
  };

  return [
    {
      method: "GET",
      path: "/api/tracks",
      handle: ({ response }) => {
        // Read before the tracks: a change in between is sent twice, never lost.
        const { cursor: position } = broadcast;
        const tracks = parts.tracks().map(forWire);
        const answer: TracksResponse = {
          position,
          now: Date.now(),
          tracks,
          ...(parts.demo && { demo: parts.demo() }),
          ...(parts.problem?.() !== undefined && { problem: parts.problem() }),
          ...(parts.clearDelay !== undefined && { clearDelay: parts.clearDelay }),
          ...(parts.prices && { prices: [...parts.prices] }),
          ...(parts.checks && { runs: parts.checks.runs.running() }),
        };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "GET",
      path: "/api/tracks/:id",
      async handle(context) {
        const { cursor: position } = broadcast;
        const past = await parts.past(found(context).track);
        const answer: TrackResponse = { position, ...forWire(found(context)), ...past };
        sendJson(context.response, 200, answer);
      },
    },
    {
      method: "GET",
      path: "/api/tracks/:id/files",
      async handle(context) {
        sendJson(context.response, 200, await parts.files(found(context).track));
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/ops",
      async handle(context) {
        const request = readOps(await readJson(context.request));
        const { track, hosted } = found(context);
        const list = await listOf(track, hosted);
        const { outcome, conflict } = await editAsUser(list, request, VIA);
        if (conflict) {
          const { yours, theirs } = conflict;
          const last = lastChange(await list.events(), theirs.id);
          const answer: ConflictResponse = {
            code: "conflict",
            message: CHANGED.message,
            yours,
            theirs,
            by: last?.by ?? "agent",
            at: last?.at ?? theirs.createdAt,
          };
          sendJson(context.response, 409, answer);
        } else answerWith(context, outcome);
      },
    },
    {
      method: "GET",
      path: "/api/tracks/:id/plan",
      async handle(context) {
        const revisions = await parts.readRevisions?.(found(context).track);
        sendJson(context.response, 200, {
          revisions: revisions ?? [],
        } satisfies RevisionsResponse);
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/plan",
      async handle(context) {
        const request = readPlanRequest(await readJson(context.request));
        const { track } = found(context);
        const list = await listOf(track, track.plan !== undefined);
        answerWith(context, await decideAsUser(list, request, VIA));
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/promote",
      async handle(context) {
        const { todo } = readPromoteRequest(await readJson(context.request));
        const { track, hosted } = found(context);
        const list = await listOf(track, hosted);
        if (!parts.tasks) throw notOurs();
        const answer = await promoteTodos(list, await parts.tasks(), [todo], { via: VIA });
        if (answer.ok)
          sendJson(context.response, 200, {
            task: answer.promoted[0]?.task,
          } satisfies PromoteResponse);
        else if ("refused" in answer) throw taskRefusal(answer.refused);
        else refuseWith(context, answer.rejected);
      },
    },
    ...checkRoutes({ found, checks: parts.checks }),
    muteRoute({ found, tracks: parts.tracks, home: parts.mutesIn }),
    ...callRoutes({ found, read: async (id) => parts.readCall?.(id) }),
    {
      method: "GET",
      path: "/api/events",
      handle({ request, response, url }) {
        if (broadcast.subscribers >= MAX_SUBSCRIBERS)
          throw new HttpError(
            503,
            "too_many",
            `Too many pages are open (${MAX_SUBSCRIBERS}). Close some of them.`,
          );
        const last = request.headers["last-event-id"];
        const after = typeof last === "string" ? last : url.searchParams.get("after");
        broadcast.subscribe(response, after ?? undefined);
      },
    },
  ];
}

function notOurs(): HttpError {
  return new HttpError(
    409,
    "not_ours",
    "Read-only: this list or plan belongs to the agent. Change it where the agent runs.",
  );
}

function answerWith(
  context: RequestContext,
  { ok, duplicate, event, rejected, after }: Outcome,
): void {
  if (ok) sendJson(context.response, 200, { ok, duplicate, event, track: listSummary(after) });
  else refuseWith(context, rejected);
}

function refuseWith({ response }: RequestContext, rejected: readonly Rejection[]): void {
  const [first] = rejected;
  sendJson(response, first?.code === "conflict" ? 409 : 422, {
    code: first?.code ?? "refused",
    message: first?.message ?? "The change was refused.",
    rejected,
  });
}

function listSummary({ session, agent, version, revision, todos }: Track) {
  return { session, agent, version, revision, todos };
}

function lastChange(events: readonly Event[], id: Todo["id"]): Event | undefined {
  return events.findLast(({ changes }) =>
    changes.some((change) => "id" in change && change.id === id),
  );
}
