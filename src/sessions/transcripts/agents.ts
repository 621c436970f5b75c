import { join, resolve } from "node:path";
import { DIALECTS, findDialect } from "../../agents/index.ts";
import { UsageError } from "../../core/error.ts";
import type { Event } from "../../core/model.ts";
import type { Live } from "../../core/stream/fold.ts";
import { newStory, type Story } from "../../core/views/activity-timeline.ts";
import type { Remark } from "../../core/views/history.ts";
import { type Driver, loadDriver } from "../../engines/sqlite/driver.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { isFolder } from "../../home/is-folder.ts";
import type { Context } from "../../home/open.ts";
import { type Discovered, discover, thisMachine, type Unreadable } from "./discover.ts";
import { type CloseReading, type Fault, readClosely } from "./full-read.ts";
import { type Index, loadIndex, saveIndex } from "./index-file.ts";
import { type ExternalTrack, summed, type Unit } from "./roster.ts";
import { readSessions, type Snapshot } from "./sessions.ts";

/** What the agents of a machine have written into files of their own. */
export interface Agents {
  readonly tracks: readonly ExternalTrack[];
  readonly discovered: Discovered;
  readonly unreadable: readonly Unreadable[];
  readonly snapshot: Snapshot;
  readonly index: Index;
  readonly driver: Driver | undefined;
}

export type AgentsCall = Pick<Context, "terminal" | "home" | "env">;

/** The machine that is looked at: this one, or what lies in somebody's home directory. */
export function machineOf(env: NodeJS.ProcessEnv, userHome: string | undefined) {
  if (userHome === undefined) return thisMachine(undefined, env);
  const path = resolve(userHome);
  if (!isFolder(path))
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
  const progress = call.terminal.progress("Reading sessions");
  const snapshot = await readSessions(DIALECTS, discovered, index, {
    driver,
    isBrief: true,
    onProgress: progress.update,
  });
  progress.end();
  if (userHome === undefined && snapshot.changed) keepIndex(call, index);
  return {
    get tracks() {
      return snapshot.roster.tracks();
    },
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
    const reason = redactedMessage(error);
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
    const reason = redactedMessage(error);
    terminal.say(`waymark: what was read cannot be kept for the next time (${reason})`);
  }
}

/** What the files of an agent tell when they are read from the beginning, line by line. */
export interface CloseLook {
  /** Everything that ever happened to its list. */
  readonly events: readonly Event[];
  /** List writes that the agent's program refused. */
  readonly refusals: readonly Remark[];
  /** What the agent did besides. */
  readonly story: Story;
  /** With counts of all that it did. */
  readonly live: Live;
  readonly faults: readonly Fault[];
}

/** Each file is read when something of it is asked for: long ones take their time. */
export function lookClosely({ live, units }: ExternalTrack, driver: Driver | undefined): CloseLook {
  const known = new Map<Unit, CloseReading | undefined>();
  const readingOf = (unit: Unit): CloseReading | undefined => {
    const dialect = findDialect(unit[0].dialect);
    if (!known.has(unit)) known.set(unit, dialect && readClosely(unit, dialect, driver));
    return known.get(unit);
  };
  return {
    get events() {
      for (const unit of units) {
        const events = readingOf(unit)?.changes(live) ?? [];
        if (events.length > 0) return events;
      }
      return [];
    },
    get refusals() {
      const found = units.map((unit) => readingOf(unit)?.refusals(live) ?? []);
      return found.find((rows) => rows.length > 0) ?? [];
    },
    get story() {
      const told = units.map((unit) => readingOf(unit)?.story(live));
      return told.find((story) => story && story.calls.length > 0) ?? newStory().story();
    },
    get live() {
      const [own, ...others] = units.flatMap((unit) => readingOf(unit)?.live(live) ?? []);
      if (!own) return live;
      const { activity, compactions } = own;
      const skipped = others.reduce((sum, other) => summed(sum, other.skipped), own.skipped);
      return { ...live, activity, compactions, skipped };
    },
    get faults() {
      return units
        .flatMap((unit) => readingOf(unit)?.faults ?? [])
        .filter(({ session, agent }) => session === live.session && agent === live.agent);
    },
  };
}
