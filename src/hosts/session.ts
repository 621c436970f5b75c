import { checkId } from "../core/ids.ts";
import type { TrackId } from "../core/model.ts";

/** What a host knows of who is calling. */
export interface Caller {
  /** What the client sent along with its request. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  /** Where hooks leave word. */
  readonly home?: string;
}

export interface Session extends TrackId {
  readonly agentType?: string;
}

/** Whose list a caller means. */
export function resolveSession({ meta = {}, env }: Caller): Session {
  return fromMeta(meta) ?? fromEnv(env) ?? { session: mintSession(), agent: "main" };
}

function fromMeta({ sessionId, threadId }: Readonly<Record<string, unknown>>): Session | undefined {
  if (!isId("session", sessionId)) return undefined;
  const isMain = threadId === sessionId || !isId("agent", threadId);
  return { session: sessionId, agent: isMain ? "main" : threadId, agentType: "codex" };
}

function fromEnv(env: Caller["env"]): Session | undefined {
  const session = env.CLAUDE_CODE_SESSION_ID;
  if (!isId("session", session)) return undefined;
  return { session, agent: "main", agentType: "claude-code" };
}

function isId(kind: "session" | "agent", id: unknown): id is string {
  return checkId(kind, id) === undefined;
}

const MINTED = /^mcp-[0-9a-f]{24}$/;

/** A session of our own making, for callers that have none. Nobody can guess it. */
export function mintSession(): string {
  // Loaded late: it is a large part of what starting the program costs.
  return `mcp-${process.getBuiltinModule("node:crypto").randomBytes(12).toString("hex")}`;
}

export function isMinted(session: string): boolean {
  return MINTED.test(session);
}
