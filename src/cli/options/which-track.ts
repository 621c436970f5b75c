import { realpathSync } from "node:fs";
import { basename } from "node:path";
import { NoAnswer, UsageError } from "../../core/error.ts";
import type { Track, TrackId } from "../../core/model.ts";
import { checkId, isGeneratedId } from "../../core/text/ids.ts";
import { machineOfSession } from "../../core/views/relayed.ts";
import { neededDirectory, originHere } from "../../home/directory.ts";
import {
  isMinted,
  type Session,
  sessionOfCaller,
  sessionOfEnv,
} from "../../sessions/caller/session.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import type { List } from "../../tracker.ts";
import { type Call, HOME_OPTION, type Options } from "../io/command.ts";

/** What every command about one list takes. */
export const TRACK_OPTIONS = {
  session: {
    type: "string",
    value: "ID",
    summary:
      "The session, or the first 4 signs or more of a generated id; else the newest of this directory",
    words: "sessions",
  },
  agent: {
    type: "string",
    value: "ID",
    summary: 'The agent of the session; else "main"',
    words: "agents",
  },
} as const satisfies Options;

/** For commands that only look. */
export const READ_OPTIONS = {
  ...TRACK_OPTIONS,
  home: HOME_OPTION,
} as const satisfies Options;

type ReadCall = Pick<Call<typeof READ_OPTIONS>, "values" | "terminal" | "home" | "env">;
type TrackCall = Pick<Call<typeof TRACK_OPTIONS>, "values" | "terminal" | "home" | "env">;

const MAIN = "main";

/** The track that the options name; nothing when no session is named. */
export function namedTrack(values: TrackCall["values"]): TrackId | undefined {
  const { session, agent } = values;
  const elsewhere = session === undefined ? undefined : machineOfSession(session);
  if (elsewhere)
    throw new NoAnswer(
      `The list of session ${session} is kept on the machine ${elsewhere.machine}: it is shown here, but changed only there.`,
    );
  if (session !== undefined) refuseBad(checkId("session", session), session);
  if (agent !== undefined) refuseBad(checkId("agent", agent), agent);
  return session === undefined ? undefined : { session, agent: agent ?? MAIN };
}

function refuseBad(problem: string | undefined, given: string): void {
  if (problem !== undefined)
    throw new UsageError(`${problem} Given was ${JSON.stringify(given.slice(0, 60))}.`);
}

function directoryOrName(): string {
  return neededDirectory(", or name the list with --session");
}

/** Our own tracks of this directory, newest first, of the given agent if there is one given. */
async function hostedHere({ values, home }: TrackCall): Promise<readonly Track[]> {
  const tracker = await home.reading();
  const tracks = await tracker.tracks({ cwd: directoryOrName() });
  return tracks.filter(({ agent }) => values.agent === undefined || agent === values.agent);
}

/** The options, with the session of the agent that runs this command where none is named. */
function withCaller<C extends TrackCall>(call: C): C {
  const { env, home } = call;
  return inSession(call, () => sessionOfCaller({ env, pid: process.pid, home: home.path }));
}

function inSession<C extends TrackCall>(call: C, find: () => Session | undefined): C {
  const { values } = call;
  const caller = values.session === undefined ? find() : undefined;
  return caller ? { ...call, values: { ...values, session: caller.session } } : call;
}

async function isHosted({ home }: TrackCall, id: TrackId): Promise<boolean> {
  return (await (await home.reading()).list(id).read()).version > 0;
}

// Whatever needs no more than our own lists must not pay for reading those of all agents.
const otherSessions = () => import("../../sessions/find.ts");

interface ReadingOptions {
  /** The past of the list is not needed. */
  readonly onlyNow?: boolean;
  /** Without a named session, means that of the agent that runs the command. */
  readonly ofCaller?: boolean;
  /** Of several lists in this directory, says how to choose another. */
  readonly saysChoice?: boolean;
}

/** The list that a command looks at, whoever keeps it. */
export async function listToRead(
  given: ReadCall,
  { onlyNow = false, ofCaller = false, saysChoice = false }: ReadingOptions = {},
): Promise<ReadList> {
  const { home: userHome } = given.values;
  // Another user's home has nothing of the agent that runs this command.
  const call = ofCaller && userHome === undefined ? withCaller(given) : given;
  const { session = "" } = call.values;
  if (userHome === undefined && machineOfSession(session))
    return (await import("../../sessions/remote/read.ts")).listElsewhere(
      call,
      session,
      call.values.agent,
    );
  const named = namedTrack(call.values);
  if (named) {
    if (userHome === undefined && (await isHosted(call, named)))
      return (await call.home.reading()).list(named);
    const last = onlyNow ? await lastList(call, named, userHome) : undefined;
    if (last) return last;
  }
  return userHome === undefined
    ? anyList(call, named, saysChoice)
    : listOfOthers(call, userHome, named, saysChoice);
}

async function lastList(call: ReadCall, named: TrackId, userHome: string | undefined) {
  if (named.agent !== MAIN) return undefined;
  return (await import("../../sessions/last-list.ts")).lastListOf(call, named.session, userHome);
}

async function anyList(
  call: ReadCall,
  named: TrackId | undefined,
  saysChoice: boolean,
): Promise<ReadList> {
  const tracker = await call.home.reading();
  if (named) {
    const found = await (await otherSessions()).findSession(call, call.values);
    if (found && "list" in found) return saidIfShort(call, found.list, named);
    const meant = tracker.list(found ? { ...named, session: found.hosted } : named);
    return saidIfShort(call, meant, named);
  }
  const ours = await hostedHere(call);
  const [hosted] = ours;
  const { newestHere } = await otherSessions();
  const { found, count: all } = await newestHere(call, ours, call.values.agent);
  const choice = saysChoice ? choiceOf("the newest", all) : "";
  if (found && "list" in found) return said(call, found.list, choice);
  if (hosted)
    return said(call, tracker.list({ session: hosted.session, agent: hosted.agent }), choice);
  throw noneHere();
}

async function listOfOthers(
  call: ReadCall,
  userHome: string,
  named: TrackId | undefined,
  saysChoice: boolean,
): Promise<ReadList> {
  const { findSession, newestHere } = await otherSessions();
  const { agent } = call.values;
  const { found, count } = named
    ? { found: await findSession(call, call.values, { userHome }), count: 1 }
    : await newestHere(call, [], agent, userHome);
  if (found && "list" in found)
    return named
      ? saidIfShort(call, found.list, named)
      : said(call, found.list, saysChoice ? choiceOf("the newest", count) : "");
  throw new NoAnswer(
    named
      ? `Nothing is known of session ${named.session}, agent ${named.agent}, in ${userHome}.`
      : `No track in ${userHome} belongs to this directory. Name one with --session.`,
  );
}

/** Says which list was chosen, and how to choose another where there are several. */
function said<T extends { readonly id: TrackId }>(
  { terminal }: TrackCall,
  list: T,
  choice = "",
): T {
  terminal.say(`session ${list.id.session}, agent ${list.id.agent}${choice}`);
  return list;
}

function choiceOf(which: "the newest" | "your own", count: number): string {
  return count > 1
    ? ` (${which} of ${count} lists here; choose with --session, waymark ls --cwd shows them)`
    : "";
}

/** Who gave only the beginning of an id is told what it was taken for. */
function saidIfShort<T extends { readonly id: TrackId }>(
  call: TrackCall,
  list: T,
  named: TrackId,
): T {
  return list.id.session === named.session ? list : said(call, list);
}

function noneHere(): NoAnswer {
  return new NoAnswer(
    "No list belongs to this directory yet. Begin one with: waymark todo add TEXT; or name one with --session (waymark ls shows them all).",
  );
}

/**
 * The list of a command that changes what is there already. Without a name: the list of the session
 * that the environment names, else the person's own list of this directory, else the newest one.
 */
export async function listToChange(given: TrackCall): Promise<List> {
  const call = inSession(given, () => sessionOfEnv(given.env));
  const named = namedTrack(call.values);
  const origin = originHere();
  const open = async (id: TrackId) => (await call.home.writing()).list(id, origin);
  if (named) {
    const id = await ourOwn(call, named);
    if (!(await isHosted(call, id)))
      throw new NoAnswer(
        `Session ${id.session} has no list of agent ${id.agent}. Begin one with: waymark todo add TEXT --session ${id.session}.`,
      );
    return open(id);
  }
  const hosted = await hostedHere(call);
  const found = hosted.find(isPersonal) ?? hosted[0];
  if (found)
    return said(
      call,
      await open({ session: found.session, agent: found.agent }),
      choiceAmong(hosted, found),
    );
  const { newestHere, notOurs } = await otherSessions();
  const foreign = (await newestHere(call, [], call.values.agent)).found;
  throw foreign && "foreign" in foreign ? notOurs(foreign.foreign) : noneHere();
}

function choiceAmong(hosted: readonly Track[], found: Track): string {
  const isOwn = isPersonal(found) && !hosted.every(isPersonal);
  return choiceOf(isOwn ? "your own" : "the newest", hosted.length);
}

/** The track of ours that a name stands for; that of another agent cannot be changed. */
async function ourOwn(call: TrackCall, named: TrackId): Promise<TrackId> {
  if (await isHosted(call, named)) return named;
  const { findSession, notOurs } = await otherSessions();
  const found = await findSession(call, call.values);
  if (found && "foreign" in found) throw notOurs(found.foreign);
  if (!found || found.hosted === named.session) return named;
  return said(call, { id: { ...named, session: found.hosted } }).id;
}

/** The newest list of this directory that may be meant, which is then said; else a new one. */
async function hostedTrack(
  call: TrackCall,
  isMeant: (track: Track) => boolean = () => true,
): Promise<TrackId> {
  const hosted = await hostedHere(call);
  const found = hosted.find(isMeant);
  if (found) {
    const id = { session: found.session, agent: found.agent };
    return said(call, { id }, choiceAmong(hosted, found)).id;
  }
  const agents = hosted.find((track) => !isMeant(track));
  if (agents)
    call.terminal.say(
      `To add to the list of an agent, name it: --session ${agents.session} (waymark ls --cwd shows all).`,
    );
  const id = { session: await sessionFor(directoryOrName()), agent: call.values.agent ?? MAIN };
  call.terminal.say(`session ${id.session}, agent ${id.agent} (new, for this directory)`);
  return id;
}

/** The track that an agent writes to: exactly the one that is named, one for this directory else. */
export async function trackOfTool(call: TrackCall): Promise<TrackId> {
  return namedTrack(call.values) ?? hostedTrack(call);
}

/**
 * The track of a person's command that may begin a list: without a name, the person's own list of
 * this directory. An agent's list is only written to when it is named.
 */
export async function trackToWrite(call: TrackCall): Promise<TrackId> {
  const named = namedTrack(call.values);
  return named ? ourOwn(call, named) : hostedTrack(call, isPersonal);
}

/** No agent was seen to work on it, and no program generated its name. */
function isPersonal({ session, agentType, activity }: Track): boolean {
  const isNamed = !isGeneratedId(session) && !isMinted(session);
  return isNamed && agentType === undefined && activity === undefined;
}

export async function listToWrite(call: TrackCall): Promise<List> {
  const id = await trackToWrite(call);
  return (await call.home.writing()).list(id, originHere());
}

/** A session of its own for a directory: its name, to be known by, and a hash of its whole path. */
export async function sessionFor(directory: string): Promise<string> {
  // Loaded for a new list only: it is a large part of what starting the program costs.
  const { createHash } = await import("node:crypto");
  const name = basename(directory)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40);
  const hash = createHash("sha256").update(realpathSync(directory)).digest("hex").slice(0, 6);
  // Session ids may not contain "-agent-": it divides session and agent in file names.
  return `${name || "dir"}-${hash}`.replaceAll("-agent-", "-agent_");
}
