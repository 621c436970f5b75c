import type { Op, TrackId } from "../../core/model.ts";
import {
  type Base,
  type ConflictAnswer,
  type PlanRequest,
  type PromoteAnswer,
  type PromoteRequest,
  type TrackAnswer,
  type TracksAnswer,
  trackPath,
} from "../../core/wire.ts";
import type { PersonTaskOp, TaskDetailAnswer, TasksAnswer, TasksNews } from "../../tasks/wire.ts";

/** What the server says no with, in words for a person. */
export class Refused extends Error {
  readonly code: string;
  readonly conflict: ConflictAnswer | undefined;
  constructor(code: string, message: string, conflict?: ConflictAnswer) {
    super(message);
    this.code = code;
    this.conflict = conflict;
  }
}

export function apiPath(id: TrackId): string {
  return `/api/tracks/${encodeURIComponent(trackPath(id))}`;
}

export function pagePath(id: TrackId): string {
  return `/track/${encodeURIComponent(trackPath(id))}`;
}

/** Milliseconds that a person waits before they are told that nothing comes. */
const PATIENCE = 15_000;

async function call(path: string, init?: RequestInit): Promise<unknown> {
  const signal = AbortSignal.timeout(PATIENCE);
  const { answer, text } = await fetch(path, { ...init, cache: "no-store", signal })
    .then(async (answer) => ({ answer, text: await answer.text() }))
    .catch(() => {
      throw signal.aborted
        ? new Refused("slow", "The server takes too long to answer. Its terminal may say why.")
        : new Refused("offline", "The server does not answer. Start it again: waymark serve");
    });
  const body = parsed(text);
  if (answer.ok && body) return body;
  const unclear = answer.ok
    ? "The server cannot be understood."
    : `The server answered ${answer.status}.`;
  const { code = "fault", message = unclear } = body ?? {};
  throw new Refused(code, message, code === "conflict" ? (body as ConflictAnswer) : undefined);
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

export async function fetchTracks(): Promise<TracksAnswer> {
  return (await call("/api/tracks")) as TracksAnswer;
}

export async function fetchTrack(id: TrackId): Promise<TrackAnswer> {
  return (await call(apiPath(id))) as TrackAnswer;
}

export async function sendOps(id: TrackId, ops: readonly Op[], base?: Base): Promise<void> {
  await post(`${apiPath(id)}/ops`, { ops, key: newKey(), ...(base && { base }) });
}

export async function sendPlan(id: TrackId, request: PlanRequest, leaving = false): Promise<void> {
  await post(`${apiPath(id)}/plan`, { ...request, key: newKey() }, leaving);
}

/** Makes a task of a todo; answers which. */
export async function sendPromotion(id: TrackId, todo: string): Promise<PromoteAnswer> {
  return (await post(`${apiPath(id)}/promote`, { todo } satisfies PromoteRequest)) as PromoteAnswer;
}

export async function fetchTasks(): Promise<TasksAnswer> {
  return (await call("/api/tasks")) as TasksAnswer;
}

export async function fetchTask(id: string): Promise<TaskDetailAnswer> {
  return (await call(`/api/tasks/${encodeURIComponent(id)}`)) as TaskDetailAnswer;
}

/** The tasks as the op left them. */
export async function sendTask(op: PersonTaskOp, leaving = false): Promise<TasksNews> {
  return (await post("/api/tasks", { op, key: newKey() }, leaving)) as TasksNews;
}

/** The same request, sent twice, acts once. */
function newKey(): string {
  return `web-${crypto.randomUUID()}`;
}
