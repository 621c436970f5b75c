import { CALL_ID_FIELDS } from "../../agents/identities.ts";
import { currentDirectory } from "../../home/directory.ts";
import type { Home } from "../../home/open.ts";
import {
  callerAmong,
  isMinted,
  resolveSession,
  type Session,
} from "../../sessions/caller/session.ts";
import { subagentWithin } from "./subagents.ts";

/** How many of the newest tracks are searched for a call that is under way. */
const NEWEST = 20;

/** What a client sends with a call. */
interface CallMeta {
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * Finds the session, and the subagent, that each call of an agent belongs to, by what the call carries, what started
 * this process and what hooks reported. A generated session stays the same for all calls.
 */
export function sessionOfCalls(
  { env, home }: { readonly env: NodeJS.ProcessEnv; readonly home: Home },
  agent?: string,
): (call: CallMeta) => Promise<Session> {
  const caller = { env, cwd: currentDirectory() ?? "", pid: process.pid, home: home.path };
  let minted: Session | undefined;
  return async ({ meta }) => {
    const found = resolveSession({ ...caller, meta });
    if (isMinted(found.session)) minted ??= found;
    const session = isMinted(found.session) ? (minted ?? found) : found;
    const callId = CALL_ID_FIELDS.map((field) => meta[field]).find((id) => typeof id === "string");
    const tracks = await (await home.reading()).tracks({ limit: NEWEST });
    const now = Date.now();
    const exact = callerAmong(tracks, {
      ...(callId !== undefined && { callId }),
      agentType: session.agentType,
      cwd: caller.cwd,
      now,
    });
    const whose = exact ?? { ...session, ...subagentWithin(tracks, session, now) };
    return agent === undefined ? whose : { ...whose, agent };
  };
}
