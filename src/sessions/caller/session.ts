import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fields, number, text } from "../../agents/common/values.ts";
import { IDENTITIES } from "../../agents/identities.ts";
import { TERMINAL_VARIABLES } from "../../core/jump.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { checkId, MAIN_AGENT } from "../../core/text/ids.ts";
import { removeAbandonedParts, replaceWithoutSync } from "../../engines/storage/files.ts";
import { isAlive } from "../../engines/storage/is-alive.ts";
import { ancestryOf, type Process, pidNamespace, startTimeOf } from "./processes.ts";
import { removeProcesses, writeProcess } from "./session-process.ts";

/**
 * The session of an agent's process, as stored in `sessions/`. Hooks receive the session id, MCP
 * servers mostly do not: so a hook records the process that called it, and a server finds that process
 * among its ancestors.
 */
interface SessionFile {
  /** The agent's process. */
  readonly pid: number;
  /** The pid namespace of that process; empty if the system has none. */
  readonly namespace: string;
  /** Start time of the process. */
  readonly born: string;
  readonly session: string;
  readonly agentType?: string;
  readonly cwd?: string;
  /** Variables that name the pane in which the agent runs. */
  readonly terminal?: Readonly<Record<string, string>>;
  readonly at: number;
}

/** Programs that may run between the agent and its hooks and servers. */
const WRAPPERS =
  /^(?:-?(?:sh|dash|bash|zsh|fish|ash|ksh|mksh|busybox|cmd\.exe)|env|timeout|waymark-hook)$/;

const DIR = "sessions";

/** Includes the namespace: containers that share a home may have agents with the same pid. */
function fileName({ pid, namespace }: Pick<SessionFile, "pid" | "namespace">): string {
  return namespace === "" ? `${pid}.json` : `${pid}-${namespace}.json`;
}

/** How long a file of another pid namespace is kept: from here it is unknown whether its process still runs. */
const KEPT_ELSEWHERE = 7 * 24 * 60 * 60 * 1_000;

/** The agent's process: the nearest ancestor that is not a shell or another wrapper. */
function agentIn(ancestors: readonly Process[]): Process | undefined {
  return ancestors.find(({ name }) => !WRAPPERS.test(name));
}

/** Records that the agent which runs this hook works on the session. Returns whether that is new. */
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
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const owner = agentIn(ancestryOf(parent)) ?? { pid: parent, startTime: "" };
  const namespace = pidNamespace();
  const name = fileName({ pid: owner.pid, namespace });
  const former = readSession(join(home, DIR), name);
  const file: SessionFile = {
    pid: owner.pid,
    namespace,
    born: owner.startTime,
    session,
    ...(agentType !== undefined && { agentType }),
    ...(cwd !== undefined && { cwd }),
    ...terminalOf(env),
    at: Date.now(),
  };
  replaceWithoutSync(join(home, DIR, name), JSON.stringify(file));
  writeProcess(home, session, owner);
  return former?.session !== session || former.born !== owner.startTime;
}

function terminalOf(env: Readonly<Record<string, unknown>>): Pick<SessionFile, "terminal"> {
  const known = TERMINAL_VARIABLES.flatMap((name): [string, string][] => {
    const value = env[name];
    return typeof value === "string" && value !== "" ? [[name, value]] : [];
  });
  return known.length === 0 ? {} : { terminal: Object.fromEntries(known) };
}

/** The processes that hooks recorded for sessions, as far as they still run here. */
export function recordedProcesses(home: string): readonly SessionFile[] {
  const here = pidNamespace();
  return sessionFiles(home).filter(
    (file) => isOf(file, here) && isAlive(file.pid) && startTimeMatches(file),
  );
}

function startTimeMatches({ pid, born }: SessionFile): boolean {
  const now = startTimeOf(pid);
  return born !== "" && (now === undefined || now === born);
}

/** Removes the files of an ended session, and of processes that have ended. */
export function removeSessions(home: string, session?: string): void {
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

/** Files of earlier versions have no namespace. */
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
    // Removed in the meantime, or not ours.
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
    ...terminalOf(fields(given?.terminal) ?? {}),
    at: number(given?.at) ?? 0,
  };
}

/** Known facts about the caller of a tool or command. */
export interface Caller {
  /** `_meta` of the client's request. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly pid: number;
  /** The home in which hooks record sessions. */
  readonly home?: string;
}

/** The session that a client writes to. */
export interface Session extends TrackId {
  readonly agentType?: string;
  /** Set for a subagent. */
  readonly parentAgent?: string;
}

/**
 * Finds the session of a caller. Hooks come before the environment: a process that started another
 * session keeps the environment of the first one.
 */
export function resolveSession({ meta = {}, env, cwd, pid, home }: Caller): Session {
  const files = home === undefined ? [] : sessionFiles(home);
  return (
    fromMeta(meta) ??
    fromHook(files, pid) ??
    sessionOfEnv(env) ??
    fromDirectory(files, cwd) ?? { session: generateMcpSessionId(), agent: MAIN_AGENT }
  );
}

/**
 * The session of the agent that runs this process as a command, if any: as recorded by a hook, or else
 * from the environment.
 */
export function sessionOfCaller({
  env,
  pid,
  home,
}: Pick<Caller, "env" | "pid" | "home">): Session | undefined {
  return (home === undefined ? undefined : fromHook(sessionFiles(home), pid)) ?? sessionOfEnv(env);
}

/** Some agents send the thread of the call and its session. */
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
  // Finding ancestors is expensive on some systems.
  if (files.length === 0) return undefined;
  const here = pidNamespace();
  const ours = files.filter((file) => isOf(file, here));
  for (const ancestor of ancestryOf(pid)) {
    const file = ours.find((each) => each.pid === ancestor.pid && each.born === ancestor.startTime);
    if (file) return sessionOf(file);
  }
  return undefined;
}

function sessionOf({ session, agentType }: SessionFile): Session {
  return { session, agent: MAIN_AGENT, ...(agentType !== undefined && { agentType }) };
}

/** The session in the environment of an agent's commands. */
export function sessionOfEnv(env: Caller["env"]): Session | undefined {
  for (const { id, sessionVariable } of IDENTITIES) {
    const session = sessionVariable && env[sessionVariable];
    if (isId("session", session)) return { session, agent: MAIN_AGENT, agentType: id };
  }
  return undefined;
}

/** For Windows, where ancestors are expensive to find. */
function fromDirectory(files: readonly SessionFile[], cwd: string): Session | undefined {
  if (process.platform !== "win32") return undefined;
  const here = files.filter((file) => file.cwd === cwd && isAlive(file.pid));
  const [newest] = here.sort((a, b) => b.at - a.at);
  return newest && sessionOf(newest);
}

function isId(kind: "session" | "agent", id: unknown): id is string {
  return checkId(kind, id) === undefined;
}

const MCP_SESSION_ID = /^mcp-[0-9a-f]{24}$/;

/** Generates an unguessable session id for a caller that has none. */
export function generateMcpSessionId(): string {
  // Loaded late: it is a large part of the startup time.
  return `mcp-${process.getBuiltinModule("node:crypto").randomBytes(12).toString("hex")}`;
}

export function isMcpSessionId(session: string): boolean {
  return MCP_SESSION_ID.test(session);
}

/**
 * The owner name of an agent for tasks. A generated session id is shortened: the full id would let
 * others write to its list.
 */
export function ownerOf({ session, agent }: TrackId): string {
  const name = isMcpSessionId(session) ? session.slice(0, SHORT_LENGTH) : session;
  return agent === MAIN_AGENT ? name : `${name}/${agent}`.slice(0, MAX_OWNER);
}

/** The owners whose leases an active agent renews: a session that waits for its subagent is active too. */
export function leaseOwners({ session, agent }: TrackId): readonly string[] {
  const main = ownerOf({ session, agent: MAIN_AGENT });
  return agent === MAIN_AGENT ? [main] : [ownerOf({ session, agent }), main];
}

const SHORT_LENGTH = "mcp-".length + 8;
const MAX_OWNER = 200;

/** The agent that an owner name stands for, if any. */
export function trackOfOwner(owner: string): TrackId | undefined {
  const [session, agent = MAIN_AGENT, ...rest] = owner.split("/");
  const isOne = rest.length === 0 && isId("session", session) && isId("agent", agent);
  return isOne && session !== undefined ? { session, agent } : undefined;
}

const OUR_TOOL = /(?:^|[_.:/-])waymark[_.:/-]+(?:todos|tasks|Task(?:Create|Update|Get|List))$/;
const CALL_TIMEOUT = 30_000;

/**
 * Finds the agent whose call of our tool is running, as hooks just reported it. This is more exact than
 * the process, which several sessions and subagents may share. Matches the call's id if the client
 * sends it; otherwise the latest call of the same agent in the same directory.
 */
export function findCaller(
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
            now - call.startedAt < CALL_TIMEOUT;
      if (fits && (!latest || call.startedAt > latest.at)) latest = { track, at: call.startedAt };
    }
  if (!latest) return undefined;
  const { session, agent } = latest.track;
  return { session, agent, ...(agentType !== undefined && { agentType }) };
}
