import { CALL_ID_FIELDS } from "../../agents/identities.ts";
import { currentDirectory } from "../../home/current-directory.ts";
import type { Home } from "../../home/open.ts";
import {
  findCaller,
  isMcpSessionId,
  resolveSession,
  type Session,
} from "../../sessions/caller/session.ts";
import { subagentWithin } from "./subagents.ts";

/** How many of the newest tracks are searched for a running call. */
const NEWEST = 20;

/** The metadata that a client sends with a call. */
interface CallMeta {
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * Finds the session and subagent of each call from its metadata, the process that started this one and the reported
 * hook events. If none names a session, one generated session is used for all calls.
 */
export function sessionOfCalls(
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: Home },
  agent?: string,
): (call: CallMeta) => Promise<Session> {
  const facts = { env, cwd: currentDirectory() ?? "", pid: process.pid, home: home.path };
  let generated: Session | undefined;
  return async ({ meta }) => {
    const found = resolveSession({ ...facts, meta });
    if (isMcpSessionId(found.session)) generated ??= found;
    const session = isMcpSessionId(found.session) ? (generated ?? found) : found;
    const callId = CALL_ID_FIELDS.map((field) => meta[field]).find((id) => typeof id === "string");
    const tracks = await (await home.reading()).tracks({ limit: NEWEST });
    const now = Date.now();
    const exact = findCaller(tracks, {
      ...(callId !== undefined && { callId }),
      agentType: session.agentType,
      cwd: facts.cwd,
      now,
    });
    const caller = exact ?? { ...session, ...subagentWithin(tracks, session, now) };
    return agent === undefined ? caller : { ...caller, agent };
  };
}
