import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Event, TrackId } from "../core/model.ts";
import { DIALECTS, findDialect } from "../dialects/index.ts";
import { readDatabase } from "../follow/database.ts";
import { type Discovered, discover, thisMachine, type Unreadable } from "../follow/discover.ts";
import { readDocuments } from "../follow/documents.ts";
import type { ReadOptions } from "../follow/fold.ts";
import { type Index, loadIndex, saveIndex } from "../follow/index-file.ts";
import type { ForeignTrack, Unit } from "../follow/roster.ts";
import { readSessions, type Snapshot } from "../follow/sessions.ts";
import { readSource } from "../follow/source.ts";
import { type Driver, loadDriver } from "../sqlite/driver.ts";
import type { Call } from "./command.ts";
import { UsageError } from "./exit.ts";
import { progressOn } from "./progress.ts";

/** What the agents of a machine have written into files of their own. */
export interface Agents {
  readonly tracks: readonly ForeignTrack[];
  readonly discovered: Discovered;
  readonly unreadable: readonly Unreadable[];
  readonly snapshot: Snapshot;
  readonly index: Index;
  readonly driver: Driver | undefined;
}

export type AgentsCall = Pick<Call, "terminal" | "home" | "env">;

/** The machine that is looked at: this one, or what lies in somebody's home directory. */
export function machineOf(env: NodeJS.ProcessEnv, userHome: string | undefined) {
  if (userHome === undefined) return thisMachine(undefined, env);
  const path = resolve(userHome);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--home is "${userHome.slice(0, 60)}", which is no directory.`);
  // Where this user's agents keep their files says nothing of somebody else's.
  return thisMachine(path, {});
}

const read = new WeakMap<AgentsCall["home"], Map<string | undefined, Promise<Agents>>>();

/** Read once for each run of a command. */
export function readAgents(call: AgentsCall, userHome?: string): Promise<Agents> {
  const known = read.get(call.home) ?? new Map<string | undefined, Promise<Agents>>();
  read.set(call.home, known);
  const agents = known.get(userHome) ?? readNow(call, userHome);
  known.set(userHome, agents);
  return agents;
}

async function readNow(call: AgentsCall, userHome: string | undefined): Promise<Agents> {
  const machine = machineOf(call.env, userHome);
  const discovered = discover(DIALECTS, machine);
  const { driver, problems } = await driverFor(discovered);
  const index = indexOf(call, userHome);
  const progress = progressOn("Reading sessions");
  const snapshot = readSessions(DIALECTS, discovered, index, {
    driver,
    onProgress: progress.update,
  });
  progress.end();
  if (userHome === undefined && snapshot.changed) keepIndex(call, index);
  return {
    tracks: snapshot.roster.tracks(),
    discovered,
    unreadable: [...snapshot.unreadable, ...problems],
    snapshot,
    index,
    driver,
  };
}

/** What was known the last time; of somebody else's home nothing is kept. */
export function indexOf({ home }: Pick<AgentsCall, "home">, userHome: string | undefined): Index {
  return userHome === undefined ? loadIndex(join(home.path, INDEX)) : new Map();
}

const INDEX = "index.json";

/** A database is not worth loading SQLite for until there is one. */
async function driverFor({ sources }: Discovered): Promise<{
  readonly driver?: Driver;
  readonly problems: readonly Unreadable[];
}> {
  const databases = sources.filter(({ kind }) => kind === "sqlite");
  if (databases.length === 0) return { problems: [] };
  try {
    return { driver: await loadDriver(), problems: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { problems: databases.map(({ dialect, path }) => ({ dialect, path, reason })) };
  }
}

/** The index only saves time: without it, everything is read again. */
export function keepIndex(
  { home, terminal }: Pick<AgentsCall, "home" | "terminal">,
  index: Index,
): void {
  try {
    saveIndex(join(home.path, INDEX), index);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    terminal.say(`waymark: what was read cannot be kept for the next time (${reason})`);
  }
}

/** Everything that ever happened to the list of an agent, read from its files anew. */
export function pastOf({ live, units }: ForeignTrack, driver: Driver | undefined): Event[] {
  for (const unit of units) {
    const events = eventsIn(unit, live, driver);
    if (events.length > 0) return events;
  }
  return [];
}

function eventsIn(unit: Unit, id: TrackId, driver: Driver | undefined): Event[] {
  const [source] = unit;
  const dialect = findDialect(source.dialect);
  const events: Event[] = [];
  if (!dialect) return events;
  const options: ReadOptions = {
    whole: true,
    onEvent: (_, live, change) => {
      if (change && live.session === id.session && live.agent === id.agent) events.push(change);
    },
  };
  if (source.kind === "document") readDocuments(unit, undefined, dialect, options);
  else if (source.kind !== "sqlite") readSource(source, undefined, dialect, options);
  else if (driver) readDatabase(source, undefined, dialect, driver, { ...options, history: true });
  return events;
}
