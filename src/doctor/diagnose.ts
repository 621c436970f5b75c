/**
 * doctor: the report of `waymark doctor`. `diagnose` gathers facts about agents, files, stores and the server, and
 * changes nothing; `report` formats them as text.
 */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Decoder } from "../agents/agent.ts";
import { DECODERS, isProven } from "../agents/index.ts";
import { findSetupAgent } from "../agents/setup.ts";
import type { LiveTrack } from "../core/stream/fold.ts";
import { isAtLeast } from "../core/text/version.ts";
import { isoTime } from "../core/views/json.ts";
import { type Driver, loadDriver } from "../engines/sqlite/driver.ts";
import { isAlive } from "../engines/storage/is-alive.ts";
import { readLog } from "../engines/storage/log-file.ts";
import { networkProblem } from "../engines/storage/network.ts";
import { type Refusals, readRefusals } from "../engines/storage/refusals.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import { unreadableHome } from "../home/open.ts";
import { unknownLists } from "../home/restore-store.ts";
import { readRunning } from "../home/server.ts";
import { pendingNames } from "../home/spool.ts";
import { HOOK_LOG } from "../servers/hooks/log.ts";
import { openSources } from "../sessions/sources.ts";
import { summed, type Unit } from "../sessions/transcripts/catalog.ts";
import { keyOf } from "../sessions/transcripts/discover.ts";
import { readUnitInFull } from "../sessions/transcripts/full-read.ts";
import {
  machineOf,
  type Transcripts,
  type TranscriptsCall,
} from "../sessions/transcripts/machine.ts";
import { unitsOf } from "../sessions/transcripts/sessions.ts";
import { programVersionSync } from "../setup/installed.ts";
import { type AgentStatus, isOwnListOn, type SetupContext, statusOfAll } from "../setup/status.ts";
import { thisProgram } from "../setup/this-program.ts";
import { version } from "../setup/version.ts";
import { type Counts, type FaultForm, faultForm, faultTexts } from "./fault-text.ts";
import { isOffByDefault, newestHasList } from "./list-state.ts";
import { missingLists } from "./report.ts";
import { checkTasks, type TasksCheck } from "./tasks.ts";

/** The facts about one agent on this machine. */
export interface AgentCheck {
  readonly id: string;
  readonly name: string;
  /** Whether its program, its directory or its sessions exist. */
  readonly installed: boolean;
  /** The path of its program, if it is in PATH. */
  readonly program: string | null;
  /** The directories that were searched for its sessions. */
  readonly looked: readonly { readonly path: string; readonly there: boolean }[];
  readonly sessions: number;
  readonly files: number;
  readonly newest: string | null;
  /** From the program, otherwise from its newest session. */
  readonly version: string | null;
  /** Present if Waymark was not tested with the real program: its basis instead. */
  readonly unproven?: string;
  /** Present if this version ships with its list off. */
  readonly list?: {
    readonly state: "off by default" | "on";
    readonly since?: string;
    readonly why: string;
    readonly setting: string;
  };
  /** Present if `waymark setup` supports the agent. `problem` says why its configuration cannot be read. */
  readonly setup?: Pick<AgentStatus, "agent" | "setUp" | "problem">;
  /** How many records were skipped or refused, by reason. */
  readonly skipped: Counts;
  /** The files with skipped records, newest first. */
  readonly skippedIn: readonly FileCheck[];
  /** How many files have skipped records. */
  readonly skippedFiles: number;
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** The skipped records of one file. */
export interface FileCheck {
  readonly path: string;
  readonly skipped: Counts;
  /** The first of them; empty if the file is too large to read again. */
  readonly lines: readonly FaultForm[];
}

export interface SettingsCheck {
  readonly files: readonly string[];
  readonly problems: readonly string[];
}

export interface DoctorReport {
  readonly waymark: { readonly version: string; readonly node: string; readonly system: string };
  readonly agents: readonly AgentCheck[];
  readonly sqlite:
    | { readonly driver: string; readonly version: string; readonly walFault: boolean }
    | { readonly problem: string };
  readonly home: {
    readonly path: string;
    readonly there: boolean;
    readonly bytes: number;
    /** Snapshots that were damaged and moved aside. */
    readonly setAside: readonly string[];
    /** Snapshots that another program changed and that were moved aside. */
    readonly edited: readonly string[];
    /** Present if it is on a network file system. */
    readonly network?: string;
    /** Present if the store is lost, damaged or cannot be read. */
    readonly problem?: string;
    /** How many lists the mirror has and the store lacks; absent if none. */
    readonly unknownLists?: number;
  };
  readonly hooks: {
    /** Spooled events that were not ingested yet. */
    readonly waiting: number;
    /** How many problems the hook log has. */
    readonly problems: number;
    /** The last line of the hook log. */
    readonly last: string | null;
  };
  /** The URL of the web board, if a server is running. */
  readonly page: string | null;
  readonly refused: readonly Refusals[];
  /** Configuration files and what is wrong with them; absent without a file. */
  readonly settings?: SettingsCheck;
  /** Absent if there are no tasks. */
  readonly tasks?: TasksCheck;
  /** Problems that the user should fix. */
  readonly attention: readonly string[];
}

export async function diagnose(
  call: TranscriptsCall,
  userHome: string | undefined,
  settings?: SettingsCheck,
): Promise<DoctorReport> {
  const found = await openSources(call, { userHome }).transcripts.readAll();
  const budget = { bytes: MAX_BYTES };
  const context = setupContext(call, userHome);
  const setups = new Map(
    statusOfAll(context).map((status) => [findSetupAgent(status.agent)?.id, status]),
  );
  const agents = DECODERS.filter(({ locations }) => locations).map((decoder) =>
    checkAgent(decoder, found, budget, setups.get(decoder.id), context, call.env),
  );
  const sqlite = await checkSqlite();
  const { path } = call.home;
  const store = userHome === undefined ? await checkStore(call) : {};
  const home = { ...checkHome(path), ...store };
  const sessions = new Set(found.tracks.map(({ live }) => live.session));
  // Tasks in the same file would fail for the same reason.
  const isReadable = home.problem === undefined || Boolean(call.env.WAYMARK_STORE);
  const tasks = userHome === undefined && isReadable ? await checkTasks(call, sessions) : undefined;
  return {
    waymark: {
      version: version(),
      node: process.versions.node,
      system: `${process.platform} ${process.arch}`,
    },
    agents,
    sqlite,
    home,
    hooks: checkHooks(path),
    page: pageOf(path),
    refused: readRefusals(path),
    ...(settings && { settings }),
    ...(tasks && { tasks }),
    attention: [...attentionOf({ agents, sqlite, home, tasks }), ...(settings?.problems ?? [])],
  };
}

async function checkStore({ home }: TranscriptsCall): Promise<Partial<DoctorReport["home"]>> {
  if (!home.exists()) return {};
  try {
    const tracker = await home.reading();
    await tracker.tracks({ limit: 1 });
    const unknown = await unknownLists(home.store, { read: (id) => tracker.list(id).read() });
    return unknown > 0 ? { unknownLists: unknown } : {};
  } catch (error) {
    return { problem: redactedMessage(error) };
  }
}

function checkHooks(home: string): DoctorReport["hooks"] {
  const problems = readLog(join(home, HOOK_LOG));
  return {
    waiting: pendingNames(home).length,
    problems: problems.length,
    last: problems.at(-1) ?? null,
  };
}

function pageOf(home: string): string | null {
  const running = readRunning(home);
  return running && isAlive(running.pid) ? running.url : null;
}

function setupContext(call: TranscriptsCall, userHome: string | undefined): SetupContext {
  const machine = machineOf(call.env, userHome);
  return {
    machine,
    path: call.env.PATH ?? "",
    program: thisProgram(call.env, machine.platform),
    home: call.home.path,
  };
}

const MAX_FILES = 20;
const MAX_LINES = 20;
/** How many bytes are read again to find the lines of skipped records. */
const MAX_BYTES = 256 * 1024 * 1024;

function checkAgent(
  decoder: Decoder,
  { tracks, discovered, unreadable, index, driver }: Transcripts,
  budget: { bytes: number },
  status: AgentStatus | undefined,
  context: SetupContext,
  env: NodeJS.ProcessEnv,
): AgentCheck {
  const { id, name } = decoder;
  const ours = tracks.filter(({ live }) => live.agentType === id);
  const units = unitsOf(discovered.sources.filter((source) => source.dialect === id));
  const bad = units.flatMap((unit) => {
    const entry = index.get(keyOf(unit[0]));
    const skipped = entry ? skippedBy(Object.values(entry.lives)) : {};
    return Object.keys(skipped).length > 0 ? [{ unit, skipped }] : [];
  });
  const files = bad.map(({ unit, skipped }, index) =>
    index < MAX_FILES ? checkFile(unit, skipped, decoder, driver, budget) : { skipped },
  );
  const looked = discovered.roots.filter((root) => root.dialect === id);
  const setup = status && findSetupAgent(status.agent);
  const program = status?.program ?? null;
  const reported = ours.find(({ live }) => live.version !== undefined)?.live.version;
  const known = (program === null ? undefined : programVersionSync(program, env)) ?? reported;
  return {
    id,
    name,
    installed: status?.found === true || looked.some(({ exists }) => exists),
    program,
    looked: looked.map(({ root, exists }) => ({ path: root, there: exists })),
    sessions: new Set(ours.map(({ live }) => live.session)).size,
    files: discovered.sources.filter((source) => source.dialect === id).length,
    newest: isoTime(ours[0]?.updatedAt ?? 0),
    version: known ?? null,
    ...(!isProven(decoder) && { unproven: decoder.basis }),
    ...listOf(
      decoder,
      known,
      ours.map(({ live }) => live),
      setup !== undefined && isOwnListOn(setup, context),
    ),
    ...(status && {
      setup: {
        agent: status.agent,
        setUp: status.setUp,
        ...(status.problem !== undefined && { problem: status.problem }),
      },
    }),
    skipped: files.reduce<Counts>((sum, { skipped }) => summed(sum, skipped), {}),
    skippedIn: files.filter((file): file is FileCheck => "path" in file),
    skippedFiles: bad.length,
    unreadable: unreadable
      .filter((problem) => problem.dialect === id)
      .map(({ path, reason }) => ({ path, reason })),
  };
}

/** Reads a file in full: a scan skips lines that cannot matter. */
function checkFile(
  unit: Unit,
  skipped: Counts,
  decoder: Decoder,
  driver: Driver | undefined,
  budget: { bytes: number },
): FileCheck {
  const [{ path }] = unit;
  const bytes = unit.reduce((sum, { size }) => sum + size, 0);
  if (faultTexts(skipped).length === 0 || bytes > budget.bytes) return { path, skipped, lines: [] };
  budget.bytes -= bytes;
  const { faults, counts } = readUnitInFull(unit, decoder, driver);
  const lines = faults.filter(({ code }) => code !== "list_rejected").slice(0, MAX_LINES);
  return { path, skipped: counts, lines: lines.map(faultForm) };
}

function skippedBy(lives: readonly LiveTrack[]): Counts {
  return lives.reduce<Counts>((sum, { skipped }) => summed(sum, skipped), {});
}

/** The list counts as on if an agent of such a version wrote one. */
function listOf(
  { listSetting }: Decoder,
  version: string | undefined,
  lives: readonly LiveTrack[],
  isEnabled: boolean,
): Pick<AgentCheck, "list"> {
  if (!listSetting) return {};
  if (!isOffByDefault(listSetting, version)) return {};
  const isOn = isEnabled || newestHasList(listSetting, lives);
  return { list: { state: isOn ? "on" : "off by default", ...listSetting } };
}

/** The first SQLite with the fix of the WAL-reset bug, in which a checkpoint can lose committed pages. */
const WAL_FIXED = "3.51.3";

async function checkSqlite(): Promise<DoctorReport["sqlite"]> {
  try {
    const { name, version } = await loadDriver();
    return { driver: name, version, walFault: !isAtLeast(version, WAL_FIXED) };
  } catch (error) {
    return { problem: redactedMessage(error) };
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch (cause) {
    throw unreadableHome(path, cause);
  }
}

function checkHome(path: string): DoctorReport["home"] {
  const there = isDirectory(path);
  const files = there
    ? readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(path, file))
    : [];
  const bytes = files.reduce((sum, file) => {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.size : 0);
  }, 0);
  const named = (mark: RegExp) => files.filter((file) => mark.test(file));
  const network = there ? networkProblem(path) : undefined;
  return {
    path,
    there,
    bytes,
    setAside: named(/\.broken-\d+$/),
    edited: named(/\.edited-\d+$/),
    ...(network !== undefined && { network }),
  };
}

function attentionOf({
  agents,
  sqlite,
  home,
  tasks,
}: Pick<DoctorReport, "agents" | "sqlite" | "home"> & {
  readonly tasks: TasksCheck | undefined;
}): readonly string[] {
  return [
    ...agents.flatMap(({ name, unreadable }) =>
      unreadable.map(({ path, reason }) => `${name}: ${path} cannot be read (${reason})`),
    ),
    ...("problem" in sqlite ? [sqlite.problem] : []),
    ...(tasks && "problem" in tasks ? [`Cannot read the tasks: ${tasks.problem}`] : []),
    ...(home.problem === undefined ? [] : [home.problem]),
    ...(home.unknownLists === undefined ? [] : [missingLists(home.unknownLists)]),
    ...home.setAside.map((file) => `List damaged, moved aside: ${file}`),
    ...home.edited.map((file) => `List changed by another program, moved aside: ${file}`),
    ...(home.network === undefined ? [] : [home.network]),
  ];
}
