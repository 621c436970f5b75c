import type { CallDetail } from "../../../core/activity/calls/call-detail.ts";
import type {
  ChecksRequest,
  ChecksResponse,
  RunStatus,
  VerifyBody,
} from "../../../core/checks/wire.ts";
import type { ChangedFiles } from "../../../core/files/changed-files.ts";
import type { JumpAnswer, PanesResponse } from "../../../core/jump.ts";
import type { Op, Todo, Track, TrackId } from "../../../core/model.ts";
import type { PlanRevision } from "../../../core/plan/revisions.ts";
import {
  type AgentsResponse,
  type ArchiveRequest,
  type ConflictResponse,
  type EditBase,
  type MuteRequest,
  type PlanRequest,
  type PromoteRequest,
  type PromoteResponse,
  type RevisionsResponse,
  type TrackResponse,
  type TracksResponse,
  trackPath,
} from "../../../core/wire.ts";
import type {
  QueueRequest,
  TaskDetailAnswer,
  TasksAnswer,
  TasksUpdate,
  UserTaskOp,
} from "../../../tasks/wire.ts";
import { fetchSigned, forgetServer, SignedOut } from "./session.ts";

export { pagePath } from "../../../core/wire.ts";

/** A failed request, with a message for the user. */
export class Refused extends Error {
  readonly code: string;
  readonly conflict: ConflictResponse | undefined;
  constructor(code: string, message: string, conflict?: ConflictResponse) {
    super(message);
    this.code = code;
    this.conflict = conflict;
  }
}

export function apiPath(id: TrackId): string {
  return `/api/tracks/${encodeURIComponent(trackPath(id))}`;
}

/** Milliseconds until a request without a response fails. */
const TIMEOUT_MS = 15_000;
/** Failures after which the server may have processed the request. */
const UNANSWERED: readonly string[] = ["slow", "offline"];

export const SIGNED_OUT = "Signed out. Open the link that waymark serve prints.";

export async function call(path: string, init?: RequestInit): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { answer, text } = await fetchSigned(path, { ...init, cache: "no-store", signal })
    .then(async (answer) => ({ answer, text: await answer.text() }))
    .catch((error: unknown) => {
      if (error instanceof SignedOut) throw new Refused("no_access", SIGNED_OUT);
      forgetServer();
      throw signal.aborted
        ? new Refused("slow", "The server is not responding. Check its terminal.")
        : new Refused("offline", "Can't reach the server. Start it with waymark serve.");
    });
  const body = parsed(text);
  if (answer.ok && body) return body;
  const fallback = answer.ok
    ? "Unexpected response from the server."
    : `The server returned HTTP ${answer.status}.`;
  const { code = "fault", message = fallback } = body ?? {};
  throw new Refused(
    code,
    message,
    body && "theirs" in body ? (body as ConflictResponse) : undefined,
  );
}

function parsed(text: string): { code?: string; message?: string } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // Not from our server.
    return undefined;
  }
}

function post(path: string, body: unknown, keepalive = false): Promise<unknown> {
  return call(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    keepalive,
  });
}

/** Idempotency keys of requests without a response: a retry reuses the key. */
const unanswered = new Map<string, string>();

async function send(path: string, content: object, leaving = false): Promise<unknown> {
  const request = `${path} ${JSON.stringify(content)}`;
  const key = unanswered.get(request) ?? `web-${crypto.randomUUID()}`;
  unanswered.delete(request);
  try {
    return await post(path, { ...content, key }, leaving);
  } catch (error) {
    if (error instanceof Refused && UNANSWERED.includes(error.code)) unanswered.set(request, key);
    throw error;
  }
}

export async function fetchTracks(): Promise<TracksResponse> {
  return (await call("/api/tracks")) as TracksResponse;
}

export async function fetchAgents(): Promise<AgentsResponse> {
  return (await call("/api/agents")) as AgentsResponse;
}

/** Starts the recorded demo on every open page. */
export async function playDemo(): Promise<void> {
  await post("/api/demo", {});
}

export async function leaveDemo(): Promise<void> {
  await call("/api/demo", { method: "DELETE" });
}

export async function fetchTrack(id: TrackId): Promise<TrackResponse> {
  return (await call(apiPath(id))) as TrackResponse;
}

/** The files that the agent changed. */
export async function fetchFiles(id: TrackId): Promise<ChangedFiles> {
  return (await call(`${apiPath(id)}/files`)) as ChangedFiles;
}

/** Reads a call of the agent; with `isWhole`, as much of its output as is ever shown. */
export async function fetchCall(
  id: TrackId,
  { callId, at }: { readonly callId: string; readonly at: number },
  isWhole: boolean,
): Promise<CallDetail> {
  const query = `at=${at}${isWhole ? "&all" : ""}`;
  return (await call(`${apiPath(id)}/calls/${encodeURIComponent(callId)}?${query}`)) as CallDetail;
}

/** Returns the todos after the change. */
export async function sendOps(
  id: TrackId,
  ops: readonly Op[],
  base?: EditBase,
): Promise<readonly Todo[]> {
  const answer = await send(`${apiPath(id)}/ops`, { ops, ...(base && { base }) });
  return (answer as { readonly track?: Pick<Track, "todos"> }).track?.todos ?? [];
}

export async function sendPlan(id: TrackId, request: PlanRequest, leaving = false): Promise<void> {
  await send(`${apiPath(id)}/plan`, request, leaving);
}

/** The revisions of a plan, oldest first. */
export async function fetchRevisions(id: TrackId): Promise<readonly PlanRevision[]> {
  return ((await call(`${apiPath(id)}/plan`)) as RevisionsResponse).revisions;
}

/** Promotes a todo to a task. */
export async function sendPromotion(id: TrackId, todo: string): Promise<PromoteResponse> {
  return (await post(`${apiPath(id)}/promote`, {
    todo,
  } satisfies PromoteRequest)) as PromoteResponse;
}

/** Mutes a finding of a session, or shows it again. */
export async function sendMute(id: TrackId, request: MuteRequest): Promise<void> {
  await post(`${apiPath(id)}/mute`, request);
}

/** Starts a run of a check. */
export async function fetchPanes(id: TrackId): Promise<PanesResponse> {
  return (await call(`${apiPath(id)}/jump`)) as PanesResponse;
}

/** Focuses a pane of the machine on which the server runs. */
export async function sendJump(id: TrackId, pane: string): Promise<JumpAnswer> {
  return (await post(`${apiPath(id)}/jump`, { pane })) as JumpAnswer;
}

export async function sendArchive(request: ArchiveRequest): Promise<void> {
  await post("/api/archive", request);
}

export async function sendVerify(id: TrackId, wanted: VerifyBody): Promise<RunStatus> {
  return (await post(`${apiPath(id)}/verify`, wanted)) as RunStatus;
}

/** Ends the run for a todo, or all runs of the session. */
export async function sendCancel(id: TrackId, todo: string | undefined): Promise<void> {
  const query = todo === undefined ? "" : `?todo=${encodeURIComponent(todo)}`;
  await call(`${apiPath(id)}/verify${query}`, { method: "DELETE" });
}

/** Accepts the warnings of the last run for a todo. */
export async function sendAccept(id: TrackId, todo: string): Promise<void> {
  await post(`${apiPath(id)}/accept`, { todo });
}

export async function fetchChecks(id: TrackId): Promise<ChecksResponse> {
  return (await call(`${apiPath(id)}/checks`)) as ChecksResponse;
}

export async function sendChecks(id: TrackId, request: ChecksRequest): Promise<ChecksResponse> {
  return (await post(`${apiPath(id)}/checks`, request)) as ChecksResponse;
}

export async function fetchTasks(): Promise<TasksAnswer> {
  return (await call("/api/tasks")) as TasksAnswer;
}

export async function fetchTask(id: string): Promise<TaskDetailAnswer> {
  return (await call(`/api/tasks/${encodeURIComponent(id)}`)) as TaskDetailAnswer;
}

/** Pauses or resumes the queue. */
export async function sendQueue(request: QueueRequest): Promise<void> {
  await post("/api/tasks/queue", request);
}

/** Returns the tasks after the op. */
export async function sendTask(op: UserTaskOp, leaving = false): Promise<TasksUpdate> {
  return (await send("/api/tasks", { op }, leaving)) as TasksUpdate;
}
