import { findDialect } from "../agents/index.ts";
import { NoAnswer } from "../core/error.ts";
import type { Track } from "../core/model.ts";
import { isGeneratedId } from "../core/text/ids.ts";
import { MAIN } from "../core/views/merged.ts";
import { neededDirectory } from "../home/directory.ts";
import { foreignList, type ReadList } from "./read-list.ts";
import { type Agents, type AgentsCall, readAgents } from "./transcripts/agents.ts";
import type { ForeignTrack } from "./transcripts/roster.ts";

/** What the options say of the track that is wanted. */
export interface Wanted {
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
}

/** A track that was found in the agents' own files, or a session of ours that was meant. */
export type Meant =
  | { readonly foreign: ForeignTrack; readonly list: ReadList }
  | { readonly hosted: string }
  | undefined;

/** Which session is meant by a name that none of our own lists has. */
export async function findSession(
  call: AgentsCall,
  { session = "", agent }: Wanted,
  options: { readonly userHome?: string | undefined } = {},
): Promise<Meant> {
  const agents = await readAgents(call, options.userHome);
  const named = pick(agents, session, agent);
  if (named) return meant(named, agents);
  const hosted = options.userHome === undefined ? await hostedSessions(call) : [];
  const theirs = agents.tracks.map(({ live }) => live.session);
  const fitting = [...new Set([...hosted, ...theirs])]
    .filter((known) => isMeantBy(known, session))
    .sort();
  const [only, ...others] = fitting;
  if (only === undefined) return undefined;
  if (others.length > 0)
    throw new NoAnswer(
      `"${session}" is the beginning of ${fitting.length} sessions: ${listed(fitting)}. Give more of it.`,
    );
  const found = hosted.includes(only) ? undefined : pick(agents, only, agent);
  return found ? meant(found, agents) : { hosted: only };
}

/**
 * Ids that programs make up may be shortened. A name that somebody chose may well be the beginning
 * of another one: it means itself.
 */
export function isMeantBy(session: string, given: string): boolean {
  if (session === given) return true;
  return isGeneratedId(session) && given.length >= SHORTEST && session.startsWith(given);
}

const SHORTEST = 4;

/** Tells the sessions that are followed from all others, as they become known. */
export interface Followed {
  has(session: string): boolean;
  /** One of them is there, or none has to be. */
  isKnown(): boolean;
}

/** Every session for no name; else that of the name, and as long as there is none, those it may mean. */
export function followed(given: string): Followed {
  let isExact = false;
  let isKnown = given === "";
  return {
    has(session) {
      isExact ||= session === given;
      const isOne = given === "" || (isExact ? session === given : isMeantBy(session, given));
      isKnown ||= isOne;
      return isOne;
    },
    isKnown: () => isKnown,
  };
}

const SHOWN = 5;

function listed(sessions: readonly string[]): string {
  const more = sessions.length > SHOWN ? `, and ${sessions.length - SHOWN} more` : "";
  return `${sessions.slice(0, SHOWN).join(", ")}${more}`;
}

async function hostedSessions({ home }: AgentsCall): Promise<readonly string[]> {
  const tracks = await (await home.reading()).tracks();
  return [...new Set(tracks.map((track) => track.session))];
}

/** The agent that is named, else the main one, else the one that last did something. */
function pick(agents: Agents, session: string, agent?: string): ForeignTrack | undefined {
  const family = agents.tracks.filter(({ live }) => live.session === session);
  if (agent !== undefined) return family.find(({ live }) => live.agent === agent);
  return family.find(({ live }) => live.agent === MAIN) ?? family[0];
}

function meant(foreign: ForeignTrack, agents: Agents): Meant {
  return { foreign, list: foreignList(foreign, agents.driver) };
}

/** A track of this directory, and how many sessions of it have a list. */
export interface NewestHere {
  readonly found: Meant;
  readonly count: number;
}

/** The newest track of this directory: with a list, if there is one, else any. */
export async function newestHere(
  call: AgentsCall,
  ours: readonly Track[],
  agent: string | undefined,
  userHome?: string,
): Promise<NewestHere> {
  const agents = await readAgents(call, userHome);
  const cwd = neededDirectory(", or name the list with --session");
  const here = agents.tracks.filter(
    ({ live }) =>
      live.track.cwd === cwd &&
      (agent === undefined ? live.track.parentAgent === undefined : live.agent === agent),
  );
  const theirs = here.map(({ live }) => live.track);
  const lists = [...ours, ...theirs].filter(({ todos }) => todos.length > 0);
  const count = new Set(lists.map(({ session }) => session)).size;
  const found = here.find(({ live }) => live.track.version > 0) ?? here[0];
  const [hosted] = ours;
  const isBetter =
    found && (!hosted || (found.live.track.version > 0 && found.updatedAt > hosted.updatedAt));
  return { found: isBetter ? meant(found, agents) : undefined, count };
}

/** Said to whoever wants to change a list that only its agent writes. */
export function notOurs({ live }: ForeignTrack): NoAnswer {
  const name = findDialect(live.agentType)?.name ?? live.agentType;
  return new NoAnswer(
    `The list of session ${live.session} is ${name}'s own: it is shown, but only ${name} changes it. Ask the agent to; or keep a list of yours under another name: waymark todo add TEXT --session NAME.`,
  );
}
