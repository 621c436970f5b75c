import { conflictOf } from "../../core/list/conflict.ts";
import type { Event, Outcome, Rejection, Todo, Track, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import { modelText } from "../../core/text/model-text.ts";
import type { Story } from "../../core/views/activity-timeline.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import {
  type ConflictAnswer,
  type DemoStatus,
  forWire,
  type PlanRequest,
  type PromoteAnswer,
  type TrackAnswer,
  type TracksAnswer,
  trackOfPath,
} from "../../core/wire.ts";
import { promoteTodos } from "../../tasks/links/promote.ts";
import type { TaskStore } from "../../tasks/store.ts";
import type { List, Tracker } from "../../tracker.ts";
import type { Broadcast } from "./broadcast.ts";
import { readOps, readPlanRequest, readPromoteRequest } from "./ops.ts";
import { HttpError, type Route, readJson, sendJson, type Visit } from "./routes.ts";
import { taskRefusal } from "./tasks/routes.ts";

/** What the routes of the board stand on. */
export interface BoardParts {
  tracks(): readonly MergedTrack[];
  /** The history of the list that is shown, and what its agent did besides. */
  past(id: TrackId): Promise<{ readonly events: readonly Event[]; readonly story: Story }>;
  /** Where our own lists are kept; not there where somebody else's agents are shown. */
  writing?: () => Promise<Tracker>;
  /** The tasks that todos can be made; not there either. */
  tasks?: () => Promise<TaskStore>;
  readonly broadcast: Broadcast;
  /** Present when the recorded demo is shown. */
  demo?: () => DemoStatus;
  /** Why the lists may be out of date; later changes arrive as the event `problem`. */
  problem?: () => string | undefined;
  /** Seconds until a closed todo leaves the display (default: never). */
  readonly clearDelay?: number | undefined;
}

/** More pages than anybody has open; each holds a connection. */
const MAX_READERS = 256;
const VIA = "web";

export function boardRoutes(parts: BoardParts): readonly Route[] {
  const { broadcast } = parts;

  const found = ({ params }: Visit): MergedTrack => {
    const id = trackOfPath(params.id ?? "");
    const key = id && trackKey(id);
    const track = parts.tracks().find((each) => trackKey(each.track) === key);
    if (!track)
      throw new HttpError(404, "unknown_track", "There is no such track. It may be gone.");
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
        // The position first: what happens in between is told twice, not left out.
        const { position } = broadcast;
        const tracks = parts.tracks().map(forWire);
        const answer: TracksAnswer = {
          position,
          now: Date.now(),
          tracks,
          ...(parts.demo && { demo: parts.demo() }),
          ...(parts.problem?.() !== undefined && { problem: parts.problem() }),
          ...(parts.clearDelay !== undefined && { clearDelay: parts.clearDelay }),
        };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "GET",
      path: "/api/tracks/:id",
      async handle(visit) {
        const { position } = broadcast;
        const past = await parts.past(found(visit).track);
        const answer: TrackAnswer = { position, ...forWire(found(visit)), ...past };
        sendJson(visit.response, 200, answer);
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/ops",
      async handle(visit) {
        const { ops, key, base } = readOps(await readJson(visit.request));
        const { track, hosted } = found(visit);
        const list = await listOf(track, hosted);
        let conflict: ReturnType<typeof conflictOf>;
        const outcome = await list.submit(ops, {
          by: "user",
          via: VIA,
          key,
          refuse(track) {
            conflict = base && conflictOf(track, ops, base);
            return conflict && CHANGED;
          },
        });
        if (conflict && !outcome.ok) {
          const { yours, theirs } = conflict;
          const last = lastTouch(await list.events(), theirs.id);
          const answer: ConflictAnswer = {
            code: "conflict",
            message: CHANGED.message,
            yours,
            theirs,
            by: last?.by ?? "agent",
            at: last?.at ?? theirs.createdAt,
          };
          sendJson(visit.response, 409, answer);
        } else answerWith(visit, outcome);
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/plan",
      async handle(visit) {
        const request = readPlanRequest(await readJson(visit.request));
        const { track } = found(visit);
        answerWith(visit, await decide(await listOf(track, track.plan !== undefined), request));
      },
    },
    {
      method: "POST",
      path: "/api/tracks/:id/promote",
      async handle(visit) {
        const { todo } = readPromoteRequest(await readJson(visit.request));
        const { track, hosted } = found(visit);
        const list = await listOf(track, hosted);
        if (!parts.tasks) throw notOurs();
        const answer = await promoteTodos(list, await parts.tasks(), [todo], { via: VIA });
        if (answer.ok)
          sendJson(visit.response, 200, { task: answer.promoted[0]?.task } satisfies PromoteAnswer);
        else if ("refused" in answer) throw taskRefusal(answer.refused);
        else refuseWith(visit, answer.rejected);
      },
    },
    {
      method: "GET",
      path: "/api/events",
      handle({ request, response, url }) {
        if (broadcast.listeners >= MAX_READERS)
          throw new HttpError(503, "too_many", `${MAX_READERS} pages are open. Close some.`);
        const last = request.headers["last-event-id"];
        const after = typeof last === "string" ? last : url.searchParams.get("after");
        broadcast.join(response, after ?? undefined);
      },
    },
  ];
}

function notOurs(): HttpError {
  return new HttpError(
    409,
    "not_ours",
    "This is kept by the agent: it is shown here, but decided and changed where the agent runs.",
  );
}

const CHANGED: Rejection = {
  code: "conflict",
  message: modelText`Somebody else changed this todo in the meantime; yours was not written over it.`,
};

function decide(list: List, request: PlanRequest): Promise<Outcome> {
  const { decision, comment, step, seen, key } = request;
  const options = { by: "user", via: VIA, ...(key !== undefined && { key }) } as const;
  const read = seen === undefined ? options : { ...options, seen };
  switch (decision) {
    case "approve":
      return list.plan.approve(comment, { ...read, adopt: "if free" });
    case "reject":
      return list.plan.reject(comment, read);
    case "adopt":
      return list.plan.adopt(options);
    case "comment":
      return list.plan.comment(comment ?? "", { ...read, ...(step !== undefined && { step }) });
  }
}

function answerWith(visit: Visit, { ok, duplicate, event, rejected, after }: Outcome): void {
  if (ok) sendJson(visit.response, 200, { ok, duplicate, event, track: listForm(after) });
  else refuseWith(visit, rejected);
}

function refuseWith({ response }: Visit, rejected: readonly Rejection[]): void {
  const [first] = rejected;
  sendJson(response, first?.code === "conflict" ? 409 : 422, {
    code: first?.code ?? "refused",
    message: first?.message ?? "It was refused.",
    rejected,
  });
}

function listForm({ session, agent, version, revision, todos }: Track) {
  return { session, agent, version, revision, todos };
}

function lastTouch(events: readonly Event[], id: Todo["id"]): Event | undefined {
  return events.findLast(({ changes }) =>
    changes.some((change) => "id" in change && change.id === id),
  );
}
