import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Track, TrackId } from "../core/model.ts";
import { isGeneratedId, MAIN_AGENT } from "../core/text/ids.ts";
import { isMcpSessionId, sessionOfEnv } from "./caller/session.ts";
import { hostedSource } from "./hosted.ts";
import {
  externalHere,
  externalNamed,
  hostedHere,
  type SessionSelector,
  sessionNamed,
  type Unresolved,
} from "./resolve.ts";
import type { SessionsCall } from "./sources.ts";

/** The list that a command writes to, and how it was found. */
export type Target =
  | { readonly by: "name" | "prefix"; readonly id: TrackId }
  /** One of several lists in the directory; `isOwn` if it is the user's own among those of agents. */
  | {
      readonly by: "directory";
      readonly id: TrackId;
      readonly count: number;
      readonly isOwn: boolean;
    }
  /** A new list for the directory. `agents` is a session of an agent that works there. */
  | { readonly by: "new"; readonly id: TrackId; readonly agents: string | undefined };

export interface TargetOptions {
  /** The current directory; called only if no session is named. */
  readonly directory: () => string;
}

/** Loaded only for names that our store does not have. */
async function ownSources(call: SessionsCall) {
  const { openSources } = await import("./sources.ts");
  return openSources(call, { store: false });
}

/** Whether our store has this list. */
async function isHosted({ home }: Pick<SessionsCall, "home">, id: TrackId) {
  return (await (await home.reading()).list(id).read()).version > 0;
}

/**
 * The list of a command that changes an existing one. Without a name: the list of the session that the environment
 * names, or else the user's own list of this directory, or else the newest one.
 */
export async function targetToChange(
  call: SessionsCall,
  given: SessionSelector,
  { directory }: TargetOptions,
): Promise<Target | Unresolved> {
  const session = given.session ?? sessionOfEnv(call.env)?.session;
  const { agent } = given;
  if (session !== undefined) {
    const target = await namedTarget(call, { session, agent });
    if ("problem" in target || (await isHosted(call, target.id))) return target;
    return { problem: "unknown", id: target.id };
  }
  const cwd = directory();
  const hosted = await hostedHere({ hosted: hostedSource(call.home) }, cwd, agent);
  const found = hosted.find(isPersonal) ?? hosted[0];
  if (found) return among(hosted, found);
  const theirs = await externalHere(await ownSources(call), cwd, agent);
  const external = theirs.find(({ live }) => live.track.version > 0) ?? theirs[0];
  return external ? { problem: "external", track: external } : { problem: "none_here" };
}

/**
 * The list of a user's command that may create one. Without a name: the user's own list of this directory. An agent's
 * list is changed only if it is named.
 */
export async function targetToWrite(
  call: SessionsCall,
  { session, agent }: SessionSelector,
  { directory }: TargetOptions,
): Promise<Target | Unresolved> {
  return session === undefined
    ? targetHere(call, agent, directory(), isPersonal)
    : namedTarget(call, { session, agent });
}

/** The list that an agent's tool call writes to: exactly the named one, or else the newest of this directory. */
export async function targetOfTool(
  call: SessionsCall,
  { session, agent = MAIN_AGENT }: SessionSelector,
  { directory }: TargetOptions,
): Promise<Target> {
  return session === undefined
    ? targetHere(call, agent, directory(), () => true)
    : { by: "name", id: { session, agent } };
}

/** The list of ours that a name matches. The list of an external agent cannot be changed. */
async function namedTarget(
  call: SessionsCall,
  { session: given, agent }: SessionSelector & { readonly session: string },
): Promise<Target | Unresolved> {
  const id = { session: given, agent: agent ?? MAIN_AGENT };
  if (await isHosted(call, id)) return { by: "name", id };
  const sources = await ownSources(call);
  const known = await sessionNamed(sources, given);
  if ("problem" in known) return known;
  const { session } = known;
  const by = session === given ? "name" : "prefix";
  const isOurs = by === "prefix" && ((await sources.hosted?.list({ session })) ?? []).length > 0;
  const external = isOurs ? undefined : await externalNamed(sources, session, agent);
  return external ? { problem: "external", track: external } : { by, id: { ...id, session } };
}

/** The newest matching list of this directory, or else a new one. */
async function targetHere(
  call: SessionsCall,
  agent: string | undefined,
  cwd: string,
  fits: (track: Track) => boolean,
): Promise<Target> {
  const hosted = await hostedHere({ hosted: hostedSource(call.home) }, cwd, agent);
  const found = hosted.find(fits);
  if (found) return among(hosted, found);
  const id = { session: await sessionFor(cwd), agent: agent ?? MAIN_AGENT };
  return { by: "new", id, agents: hosted.find((track) => !fits(track))?.session };
}

function among(hosted: readonly Track[], found: Track): Target {
  const { session, agent } = found;
  const isOwn = isPersonal(found) && !hosted.every(isPersonal);
  return { by: "directory", id: { session, agent }, count: hosted.length, isOwn };
}

/** Whether a list is the user's own: no agent worked on it, and no program generated its name. */
function isPersonal({ session, agentType, activity }: Track): boolean {
  const isNamed = !isGeneratedId(session) && !isMcpSessionId(session);
  return isNamed && agentType === undefined && activity === undefined;
}

/** The session of a directory: the directory's name, and a hash of its whole path. */
export async function sessionFor(directory: string): Promise<string> {
  // Loaded for a new list only: it is a large part of the startup time.
  const { createHash } = await import("node:crypto");
  const name = basename(directory)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 6);
  // Session ids may not contain "-agent-", which separates session and agent in file names.
  return `${name || "dir"}-${hash}`.replaceAll("-agent-", "-agent_");
}
