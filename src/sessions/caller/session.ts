import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fields, number, text } from "../../agents/common/values.ts";
import { IDENTITIES } from "../../agents/identities.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { checkId, MAIN_AGENT } from "../../core/text/ids.ts";
import { isAlive } from "../../engines/storage/alive.ts";
import { removeAbandonedParts, replaceLoosely } from "../../engines/storage/place.ts";
import { lineage, type Process, pidNamespace } from "./processes.ts";
import { removeProcesses, writeProcess } from "./session-process.ts";

/**
 * Which session a process of an agent works for. The agent's hooks are told, its MCP servers mostly
 * are not: so a hook writes down which process called it, and a server finds that process among
 * those it descends from.
 */
interface SessionFile {
  /** The agent's process. */
  readonly pid: number;
  /** The pid namespace of that process; empty if the system has none. */
  readonly namespace: string;
  readonly born: string;
  readonly session: string;
  readonly agentType?: string;
  readonly cwd?: string;
  readonly at: number;
}

/** Started between the agent and what it runs. */
const BETWEEN =
  /^(?:-?(?:sh|dash|bash|zsh|fish|ash|ksh|mksh|busybox|cmd\.exe)|env|timeout|waymark-hook)$/;

const DIR = "sessions";

/** Containers that share a home have agents of the same process number: each gets its own file. */
function fileName({ pid, namespace }: Pick<SessionFile, "pid" | "namespace">): string {
  return namespace === "" ? `${pid}.json` : `${pid}-${namespace}.json`;
}

/** How long a file of another pid namespace is kept: whether its process still runs is not visible here. */
const KEPT_ELSEWHERE = 7 * 24 * 60 * 60 * 1_000;

/** The nearest ancestor that is no shell: who runs hooks and servers. */
function agentAmong(ancestors: readonly Process[]): Process | undefined {
  return ancestors.find(({ name }) => !BETWEEN.test(name));
}

/** Called by a hook: the process above it works on the session. True if that was not known. */
export function recordSession(
  home: string,
  {
    session,
    agentType,
    cwd,
  }: {
    readonly session: string;
    readonly agentType?: string | undefined;
    readonly cwd?: string | undefined;
  },
  parent: number = process.ppid,
): boolean {
  const owner = agentAmong(lineage(parent)) ?? { pid: parent, born: "" };
  const namespace = pidNamespace();
  const name = fileName({ pid: owner.pid, namespace });
  const former = readSession(join(home, DIR), name);
  const file: SessionFile = {
    pid: owner.pid,
    namespace,
    born: owner.born,
    session,
    ...(agentType !== undefined && { agentType }),
    ...(cwd !== undefined && { cwd }),
    at: Date.now(),
  };
  replaceLoosely(join(home, DIR, name), JSON.stringify(file));
  writeProcess(home, session, owner);
  return former?.session !== session || former.born !== owner.born;
}

/** The session is over, or was; takes the files of processes away that have ended as well. */
export function forgetSessions(home: string, session?: string): void {
  const here = pidNamespace();
  for (const file of sessionFiles(home)) {
    const isOver = isOf(file, here)
      ? file.session === session || !isAlive(file.pid)
      : Date.now() - file.at > KEPT_ELSEWHERE;
    if (isOver) rmSync(join(home, DIR, fileName(file)), { force: true });
  }
  removeProcesses(home, session);
  removeAbandonedParts(join(home, DIR));
}

/** Files of earlier versions name no namespace. */
function isOf({ namespace }: SessionFile, here: string): boolean {
  return namespace === "" || namespace === here;
}

function sessionFiles(home: string): readonly SessionFile[] {
  const dir = join(home, DIR);
  let names: readonly string[];
  try {
    names = readdirSync(dir);
  } catch {
    // No hook has run yet.
    return [];
  }
  return names
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readSession(dir, name) ?? []);
}

function readSession(dir: string, name: string): SessionFile | undefined {
  let given: ReturnType<typeof fields>;
  try {
    given = fields(JSON.parse(readFileSync(join(dir, name), "utf8")));
  } catch {
    // Gone in the meantime, or not ours.
    return undefined;
  }
  const pid = number(given?.pid);
  const session = text(given?.session);
  if (pid === undefined || session === undefined || checkId("session", session)) return undefined;
  const cwd = text(given?.cwd);
  const agentType = text(given?.agentType);
  return {
    pid,
    namespace: /^\d+$/.exec(text(given?.namespace) ?? "")?.[0] ?? "",
    born: text(given?.born) ?? "",
    session,
    ...(agentType !== undefined && { agentType }),
    ...(cwd !== undefined && { cwd }),
    at: number(given?.at) ?? 0,
  };
}

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

/** The session that a client writes to. */
export interface Session extends TrackId {
  readonly agentType?: string;
  /** Set for a subagent. */
  readonly parentAgent?: string;
}

/**
 * Whose list a caller means: the first that knows. A hook is asked before the environment, for a
 * process that began another session keeps the environment of the first.
 */
export function resolveSession({ meta = {}, env, cwd, pid, home }: Caller): Session {
  const files = home === undefined ? [] : sessionFiles(home);
  return (
    fromMeta(meta) ??
    fromHook(files, pid) ??
    sessionOfEnv(env) ??
    fromDirectory(files, cwd) ?? { session: mintSession(), agent: MAIN_AGENT }
  );
}

/**
 * The session of the agent that runs this process as a command, if one does: as a hook recorded it,
 * or as the agent's environment says.
 */
export function sessionOfCaller({
  env,
  pid,
  home,
}: Pick<Caller, "env" | "pid" | "home">): Session | undefined {
  return (home === undefined ? undefined : fromHook(sessionFiles(home), pid)) ?? sessionOfEnv(env);
}

/** Some agents name the thread of the call and the session that it belongs to. */
function fromMeta(meta: Readonly<Record<string, unknown>>): Session | undefined {
  for (const { id, sessionFields } of IDENTITIES) {
    const session = sessionFields && meta[sessionFields.session];
    if (!isId("session", session)) continue;
    const thread = sessionFields && meta[sessionFields.agent];
    const isMain = thread === session || !isId("agent", thread);
    return { session, agent: isMain ? MAIN_AGENT : thread, agentType: id };
  }
  return undefined;
}

function fromHook(files: readonly SessionFile[], pid: number): Session | undefined {
  // Looking for ancestors is not for nothing on every machine.
  if (files.length === 0) return undefined;
  const here = pidNamespace();
  const ours = files.filter((file) => isOf(file, here));
  for (const ancestor of lineage(pid)) {
    const file = ours.find((each) => each.pid === ancestor.pid && each.born === ancestor.born);
    if (file) return sessionOf(file);
  }
  return undefined;
}

function sessionOf({ session, agentType }: SessionFile): Session {
  return { session, agent: MAIN_AGENT, ...(agentType !== undefined && { agentType }) };
}

/** The session that the environment of an agent's commands names. */
export function sessionOfEnv(env: Caller["env"]): Session | undefined {
  for (const { id, sessionVariable } of IDENTITIES) {
    const session = sessionVariable && env[sessionVariable];
    if (isId("session", session)) return { session, agent: MAIN_AGENT, agentType: id };
  }
  return undefined;
}

/** Windows does not tell cheaply who started whom. */
function fromDirectory(files: readonly SessionFile[], cwd: string): Session | undefined {
  if (process.platform !== "win32") return undefined;
  const here = files.filter((file) => file.cwd === cwd && isAlive(file.pid));
  const [newest] = here.sort((a, b) => b.at - a.at);
  return newest && sessionOf(newest);
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

/**
 * What an agent is called as the holder of a task. A session of our own making is not told whole:
 * whoever knows it can write to its list.
 */
export function ownerOf({ session, agent }: TrackId): string {
  const name = isMinted(session) ? session.slice(0, SHORT) : session;
  return agent === MAIN_AGENT ? name : `${name}/${agent}`.slice(0, MOST_OWNER);
}

/** As whom an agent that is at work holds tasks: who waits for a subagent is at work with it. */
export function ownersAtWork({ session, agent }: TrackId): readonly string[] {
  const main = ownerOf({ session, agent: MAIN_AGENT });
  return agent === MAIN_AGENT ? [main] : [ownerOf({ session, agent }), main];
}

const SHORT = "mcp-".length + 8;
const MOST_OWNER = 200;

/** The agent that an owner is, if it can be one. */
export function trackOfOwner(owner: string): TrackId | undefined {
  const [session, agent = MAIN_AGENT, ...rest] = owner.split("/");
  const isOne = rest.length === 0 && isId("session", session) && isId("agent", agent);
  return isOne && session !== undefined ? { session, agent } : undefined;
}

const OUR_TOOL = /(?:^|[_.:/-])waymark[_.:/-]+(?:todos|tasks|Task(?:Create|Update|Get|List))$/;
const UNDER_WAY = 30_000;

/**
 * Whose call of our tool is under way, as hooks told a moment ago: more exact than the process,
 * which several sessions and subagents may share. By the call's id where the client says it, else
 * the latest of the same agent in the same directory.
 */
export function callerAmong(
  tracks: readonly Track[],
  {
    callId,
    agentType,
    cwd,
    now,
  }: {
    readonly callId?: string | undefined;
    readonly agentType?: string | undefined;
    readonly cwd: string;
    readonly now: number;
  },
): Session | undefined {
  let latest: { readonly track: Track; readonly at: number } | undefined;
  for (const track of tracks)
    for (const call of track.activity?.open ?? []) {
      const fits =
        callId !== undefined
          ? call.callId === callId
          : OUR_TOOL.test(call.name) &&
            track.agentType === agentType &&
            track.cwd === cwd &&
            now - call.startedAt < UNDER_WAY;
      if (fits && (!latest || call.startedAt > latest.at)) latest = { track, at: call.startedAt };
    }
  if (!latest) return undefined;
  const { session, agent } = latest.track;
  return { session, agent, ...(agentType !== undefined && { agentType }) };
}
