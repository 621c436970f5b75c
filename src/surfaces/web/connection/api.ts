import type { Op, TrackId } from "../../../core/model.ts";
import {
  type AgentsAnswer,
  type Base,
  type ConflictAnswer,
  type PlanRequest,
  type PromoteAnswer,
  type PromoteRequest,
  type TrackAnswer,
  type TracksAnswer,
  trackPath,
} from "../../../core/wire.ts";
import type {
  PersonTaskOp,
  TaskDetailAnswer,
  TasksAnswer,
  TasksNews,
} from "../../../tasks/wire.ts";
import { fetchSigned, forgetServer, SignedOut } from "./session.ts";

export { pagePath } from "../../../core/wire.ts";

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

/** Milliseconds that a person waits before they are told that nothing comes. */
const PATIENCE = 15_000;
/** The server may have done what it was asked for. */
const UNANSWERED: readonly string[] = ["slow", "offline"];

export const SIGNED_OUT = "Signed out. Open the link that waymark serve prints.";

async function call(path: string, init?: RequestInit): Promise<unknown> {
  const signal = AbortSignal.timeout(PATIENCE);
  const { answer, text } = await fetchSigned(path, { ...init, cache: "no-store", signal })
    .then(async (answer) => ({ answer, text: await answer.text() }))
    .catch((error: unknown) => {
      if (error instanceof SignedOut) throw new Refused("no_access", SIGNED_OUT);
      forgetServer();
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
  throw new Refused(code, message, body && "theirs" in body ? (body as ConflictAnswer) : undefined);
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

/** What nobody answered, with the key that it was sent with: sent again, it is the same request. */
const unanswered = new Map<string, string>();

async function send(path: string, content: object, leaving = false): Promise<unknown> {
  const sign = `${path} ${JSON.stringify(content)}`;
  const key = unanswered.get(sign) ?? `web-${crypto.randomUUID()}`;
  unanswered.delete(sign);
  try {
    return await post(path, { ...content, key }, leaving);
  } catch (error) {
    if (error instanceof Refused && UNANSWERED.includes(error.code)) unanswered.set(sign, key);
    throw error;
  }
}

export async function fetchTracks(): Promise<TracksAnswer> {
  return (await call("/api/tracks")) as TracksAnswer;
}

export async function fetchAgents(): Promise<AgentsAnswer> {
  return (await call("/api/agents")) as AgentsAnswer;
}

/** Starts the recorded demo; every open page shows it then. */
export async function playDemo(): Promise<void> {
  await post("/api/demo", {});
}

export async function leaveDemo(): Promise<void> {
  await call("/api/demo", { method: "DELETE" });
}

export async function fetchTrack(id: TrackId): Promise<TrackAnswer> {
  return (await call(apiPath(id))) as TrackAnswer;
}

export async function sendOps(id: TrackId, ops: readonly Op[], base?: Base): Promise<void> {
  await send(`${apiPath(id)}/ops`, { ops, ...(base && { base }) });
}

export async function sendPlan(id: TrackId, request: PlanRequest, leaving = false): Promise<void> {
  await send(`${apiPath(id)}/plan`, request, leaving);
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
  return (await send("/api/tasks", { op }, leaving)) as TasksNews;
}
