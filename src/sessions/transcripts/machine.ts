import { join, resolve } from "node:path";
import { DECODERS, findDecoder } from "../../agents/index.ts";
import { UsageError } from "../../core/error.ts";
import { type FileEdits, NO_EDITS } from "../../core/files/file-edits.ts";
import type { Event } from "../../core/model.ts";
import type { PlanRevision } from "../../core/plan/revisions.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { type ActivityTimeline, createTimeline } from "../../core/views/activity-timeline.ts";
import type { Remark } from "../../core/views/history.ts";
import { type Driver, loadDriver } from "../../engines/sqlite/driver.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { isDirectory } from "../../home/is-directory.ts";
import type { Context } from "../../home/open.ts";
import { type ExternalTrack, summed, type Unit } from "./catalog.ts";
import { type Discovered, discover, thisMachine, type Unreadable } from "./discover.ts";
import { readUnitInFull, type TranscriptFault, type UnitRead } from "./full-read.ts";
import { type Index, loadIndex, saveIndex } from "./index-file.ts";
import { readSessions, type Snapshot } from "./sessions.ts";

/** The transcripts of all agents of a machine. */
export interface Transcripts {
  readonly tracks: readonly ExternalTrack[];
  readonly discovered: Discovered;
  readonly unreadable: readonly Unreadable[];
  readonly snapshot: Snapshot;
  readonly index: Index;
  readonly driver: Driver | undefined;
}

export type TranscriptsCall = Pick<Context, "terminal" | "home" | "env">;

/** The machine to read: this one, or that of another home directory. */
export function machineOf(env: NodeJS.ProcessEnv, userHome: string | undefined) {
  if (userHome === undefined) return thisMachine(undefined, env);
  const path = resolve(userHome);
  if (!isDirectory(path))
    throw new UsageError(`Invalid --home "${userHome.slice(0, 60)}". Use an existing directory.`);
  // This user's environment says nothing about the files of another user.
  return thisMachine(path, {});
}

const read = new WeakMap<TranscriptsCall["home"], Map<string | undefined, Promise<Transcripts>>>();

/** Reads all transcripts, once for each run of a command. */
export function readTranscripts(call: TranscriptsCall, userHome?: string): Promise<Transcripts> {
  const known = read.get(call.home) ?? new Map<string | undefined, Promise<Transcripts>>();
  read.set(call.home, known);
  const agents = known.get(userHome) ?? readNow(call, userHome);
  known.set(userHome, agents);
  return agents;
}

async function readNow(call: TranscriptsCall, userHome: string | undefined): Promise<Transcripts> {
  const machine = machineOf(call.env, userHome);
  const discovered = discover(DECODERS, machine);
  const { driver, problems } = await driverFor(discovered);
  const index = indexOf(call, userHome);
  const progress = call.terminal.progress("Reading sessions");
  const snapshot = await readSessions(DECODERS, discovered, index, {
    driver,
    isBrief: true,
    onProgress: progress.update,
  });
  progress.end();
  if (userHome === undefined && snapshot.changed) saveIndexOf(call, index);
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

/** The index of the last scan; empty for another user's home. */
export function indexOf(
  { home }: Pick<TranscriptsCall, "home">,
  userHome: string | undefined,
): Index {
  return userHome === undefined ? loadIndex(join(home.path, INDEX)) : new Map();
}

const INDEX = "index.json";

/** Loads SQLite only if an agent has a database. */
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
export function saveIndexOf(
  { home, terminal }: Pick<TranscriptsCall, "home" | "terminal">,
  index: Index,
): void {
  try {
    saveIndex(join(home.path, INDEX), index);
  } catch (error) {
    const reason = redactedMessage(error);
    terminal.printError(`waymark: the index of sessions cannot be saved (${reason})`);
  }
}

/** The result of reading an agent's files from the beginning, line by line. */
export interface FullRead {
  /** All events of its list. */
  readonly events: readonly Event[];
  /** List writes that the agent's program refused. */
  readonly refusals: readonly Remark[];
  /** The revisions of the agent's last plan, oldest first. */
  readonly revisions: readonly PlanRevision[];
  /** The agent's other activity. */
  readonly timeline: ActivityTimeline;
  readonly edits: FileEdits;
  /** With complete counts of its activity. */
  readonly live: LiveTrack;
  readonly faults: readonly TranscriptFault[];
}

/** Reads each file on first use: large ones take a while. */
export function readInFull({ live, units }: ExternalTrack, driver: Driver | undefined): FullRead {
  const known = new Map<Unit, UnitRead | undefined>();
  const readingOf = (unit: Unit): UnitRead | undefined => {
    const dialect = findDecoder(unit[0].dialect);
    if (!known.has(unit)) known.set(unit, dialect && readUnitInFull(unit, dialect, driver));
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
    get revisions() {
      const found = units.map((unit) => readingOf(unit)?.revisions(live) ?? []);
      return found.find((all) => all.length > 0) ?? [];
    },
    get timeline() {
      const timelines = units.map((unit) => readingOf(unit)?.timeline(live));
      return (
        timelines.find((timeline) => timeline && timeline.calls.length > 0) ??
        createTimeline().timeline()
      );
    },
    get edits() {
      const found = units.map((unit) => readingOf(unit)?.edits(live) ?? NO_EDITS);
      return found.find(({ edits, unnamed }) => edits.length + unnamed > 0) ?? NO_EDITS;
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
