/**
 * doctor: the report of `waymark doctor`. `checkup` gathers facts about agents, files, databases and
 * the server; the other files put them into words. It changes nothing.
 */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../agents/agent.ts";
import { DIALECTS, findSetup } from "../agents/index.ts";
import type { Live } from "../core/stream/fold.ts";
import { isAtLeast } from "../core/text/version.ts";
import { timeForm } from "../core/views/json.ts";
import { type Driver, loadDriver } from "../engines/sqlite/driver.ts";
import { isAlive } from "../engines/storage/alive.ts";
import { readLog } from "../engines/storage/log-file.ts";
import { networkProblem } from "../engines/storage/network.ts";
import { type Refusals, refusalsIn } from "../engines/storage/refusals.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import { unreadableHome } from "../home/open.ts";
import { unknownLists } from "../home/restore-store.ts";
import { readRunning } from "../home/server.ts";
import { namesWaiting } from "../home/spool.ts";
import { HOOK_LOG } from "../servers/hooks/log.ts";
import { openSources } from "../sessions/sources.ts";
import { type Agents, type AgentsCall, machineOf } from "../sessions/transcripts/agents.ts";
import { keyOf } from "../sessions/transcripts/discover.ts";
import { readClosely } from "../sessions/transcripts/full-read.ts";
import { summed, type Unit } from "../sessions/transcripts/roster.ts";
import { unitsOf } from "../sessions/transcripts/sessions.ts";
import { versionOf } from "../setup/installed.ts";
import { type AgentStatus, isOwnListOn, type Surroundings, statusOfAll } from "../setup/status.ts";
import { thisProgram } from "../setup/this-program.ts";
import { version } from "../setup/version.ts";
import { type Counts, type FaultForm, faultForm, faultWords } from "./fault-words.ts";
import { isConcerned, newestHasList } from "./list-state.ts";
import { checkTasks, type TasksCheck } from "./tasks.ts";

/** What is known of one agent program on this machine. */
export interface AgentCheck {
  readonly id: string;
  readonly name: string;
  /** Its program, its folder or its sessions are here. */
  readonly installed: boolean;
  /** Where its program is, if that is known. */
  readonly program: string | null;
  readonly looked: readonly { readonly path: string; readonly there: boolean }[];
  readonly sessions: number;
  readonly files: number;
  readonly newest: string | null;
  /** As the program says, else its newest session. */
  readonly version: string | null;
  /** Present where it ships with its list switched off. */
  readonly list?: {
    readonly state: "off by default" | "on";
    readonly since?: string;
    readonly why: string;
    readonly setting: string;
  };
  /** Present where `waymark setup` knows the agent: by which name, and what it has done. */
  readonly setup?: Pick<AgentStatus, "agent" | "setUp">;
  /** What could not be understood or was refused, by reason. */
  readonly skipped: Counts;
  /** In which files, the newest first. */
  readonly skippedIn: readonly FileCheck[];
  /** In how many files altogether. */
  readonly skippedFiles: number;
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

/** What could not be understood in one file. */
export interface FileCheck {
  readonly path: string;
  readonly skipped: Counts;
  /** The first of them; none of a file that is too long to be looked through for them. */
  readonly lines: readonly FaultForm[];
}

export interface Checkup {
  readonly waymark: { readonly version: string; readonly node: string; readonly system: string };
  readonly agents: readonly AgentCheck[];
  readonly sqlite:
    | { readonly driver: string; readonly version: string; readonly walFault: boolean }
    | { readonly problem: string };
  readonly home: {
    readonly path: string;
    readonly there: boolean;
    readonly bytes: number;
    /** Snapshots that could not be read and were put aside. */
    readonly setAside: readonly string[];
    /** Snapshots that somebody else had changed and that were put aside. */
    readonly edited: readonly string[];
    /** Present where another machine keeps it. */
    readonly network?: string;
    /** Present where the store is lost, damaged or cannot be read. */
    readonly problem?: string;
    /** Present where the mirror holds lists that the store does not have: how many. */
    readonly unknownLists?: number;
  };
  readonly hooks: {
    /** Events that no process has taken in yet. */
    readonly waiting: number;
    /** What went wrong in hooks, as far as the log reaches back; the last of it in words. */
    readonly problems: number;
    readonly last: string | null;
  };
  /** The address of the page, where it is served. */
  readonly page: string | null;
  readonly refused: readonly Refusals[];
  /** Absent where there are none. */
  readonly tasks?: TasksCheck;
  /** What somebody should look at, in words. */
  readonly attention: readonly string[];
}

export async function checkUp(call: AgentsCall, userHome: string | undefined): Promise<Checkup> {
  const found = await openSources(call, { userHome }).transcripts.readAll();
  const budget = { bytes: MAX_BYTES };
  const surroundings = surroundingsOf(call, userHome);
  const setups = new Map(
    statusOfAll(surroundings).map((status) => [findSetup(status.agent)?.dialect, status]),
  );
  const agents = DIALECTS.filter(({ places }) => places).map((dialect) =>
    checkAgent(dialect, found, budget, setups.get(dialect.id), surroundings, call.env),
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
    refused: refusalsIn(path),
    ...(tasks && { tasks }),
    attention: attentionOf({ agents, sqlite, home, tasks }),
  };
}

async function checkStore({ home }: AgentsCall): Promise<Partial<Checkup["home"]>> {
  if (!home.isThere()) return {};
  try {
    const tracker = await home.reading();
    await tracker.tracks({ limit: 1 });
    const unknown = await unknownLists(home.store, { read: (id) => tracker.list(id).read() });
    return unknown > 0 ? { unknownLists: unknown } : {};
  } catch (error) {
    return { problem: redactedMessage(error) };
  }
}

function checkHooks(home: string): Checkup["hooks"] {
  const problems = readLog(join(home, HOOK_LOG));
  return {
    waiting: namesWaiting(home).length,
    problems: problems.length,
    last: problems.at(-1) ?? null,
  };
}

function pageOf(home: string): string | null {
  const running = readRunning(home);
  return running && isAlive(running.pid) ? running.url : null;
}

function surroundingsOf(call: AgentsCall, userHome: string | undefined): Surroundings {
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
/** So much is read again to find out on which lines something is wrong. */
const MAX_BYTES = 256 * 1024 * 1024;

function checkAgent(
  dialect: Dialect,
  { tracks, discovered, unreadable, index, driver }: Agents,
  budget: { bytes: number },
  status: AgentStatus | undefined,
  surroundings: Surroundings,
  env: NodeJS.ProcessEnv,
): AgentCheck {
  const { id, name } = dialect;
  const ours = tracks.filter(({ live }) => live.agentType === id);
  const units = unitsOf(discovered.sources.filter((source) => source.dialect === id));
  const bad = units.flatMap((unit) => {
    const entry = index.get(keyOf(unit[0]));
    const skipped = entry ? skippedBy(Object.values(entry.lives)) : {};
    return Object.keys(skipped).length > 0 ? [{ unit, skipped }] : [];
  });
  const files = bad.map(({ unit, skipped }, place) =>
    place < MAX_FILES ? checkFile(unit, skipped, dialect, driver, budget) : { skipped },
  );
  const looked = discovered.roots.filter((root) => root.dialect === id);
  const setup = status && findSetup(status.agent);
  const program = status?.program ?? null;
  const said = ours.find(({ live }) => live.version !== undefined)?.live.version;
  const known = (program === null ? undefined : versionOf(program, env)) ?? said;
  return {
    id,
    name,
    installed: status?.found === true || looked.some(({ there }) => there),
    program,
    looked: looked.map(({ root, there }) => ({ path: root, there })),
    sessions: new Set(ours.map(({ live }) => live.session)).size,
    files: discovered.sources.filter((source) => source.dialect === id).length,
    newest: timeForm(ours[0]?.updatedAt ?? 0),
    version: known ?? null,
    ...listOf(
      dialect,
      known,
      ours.map(({ live }) => live),
      setup !== undefined && isOwnListOn(setup, surroundings),
    ),
    ...(status && { setup: { agent: status.agent, setUp: status.setUp } }),
    skipped: files.reduce<Counts>((sum, { skipped }) => summed(sum, skipped), {}),
    skippedIn: files.filter((file): file is FileCheck => "path" in file),
    skippedFiles: bad.length,
    unreadable: unreadable
      .filter((problem) => problem.dialect === id)
      .map(({ path, reason }) => ({ path, reason })),
  };
}

/** Of a long file only those lines were read that can matter: here it is all of them. */
function checkFile(
  unit: Unit,
  skipped: Counts,
  dialect: Dialect,
  driver: Driver | undefined,
  budget: { bytes: number },
): FileCheck {
  const [{ path }] = unit;
  const bytes = unit.reduce((sum, { size }) => sum + size, 0);
  if (faultWords(skipped).length === 0 || bytes > budget.bytes) return { path, skipped, lines: [] };
  budget.bytes -= bytes;
  const { faults, counts } = readClosely(unit, dialect, driver);
  const lines = faults.filter(({ code }) => code !== "list_rejected").slice(0, MAX_LINES);
  return { path, skipped: counts, lines: lines.map(faultForm) };
}

function skippedBy(lives: readonly Live[]): Counts {
  return lives.reduce<Counts>((sum, { skipped }) => summed(sum, skipped), {});
}

/** An agent that wrote a list with such a version has it switched on. */
function listOf(
  { listSetting }: Dialect,
  version: string | undefined,
  lives: readonly Live[],
  isSwitchedOn: boolean,
): Pick<AgentCheck, "list"> {
  if (!listSetting) return {};
  if (!isConcerned(listSetting, version)) return {};
  const isOn = isSwitchedOn || newestHasList(listSetting, lives);
  return { list: { state: isOn ? "on" : "off by default", ...listSetting } };
}

/** The first SQLite in which a checkpoint that meets a writer loses nothing. */
const WAL_MENDED = "3.51.3";

async function checkSqlite(): Promise<Checkup["sqlite"]> {
  try {
    const { name, version } = await loadDriver();
    return { driver: name, version, walFault: !isAtLeast(version, WAL_MENDED) };
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

function checkHome(path: string): Checkup["home"] {
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
}: Pick<Checkup, "agents" | "sqlite" | "home"> & {
  readonly tasks: TasksCheck | undefined;
}): readonly string[] {
  return [
    ...agents.flatMap(({ name, unreadable }) =>
      unreadable.map(({ path, reason }) => `${name}: ${path} cannot be read (${reason})`),
    ),
    ...("problem" in sqlite ? [sqlite.problem] : []),
    ...(tasks && "problem" in tasks ? [`The tasks cannot be read: ${tasks.problem}`] : []),
    ...(home.problem === undefined ? [] : [home.problem]),
    ...(home.unknownLists === undefined
      ? []
      : [
          `Lists in the mirror that the store does not have: ${home.unknownLists}. Run waymark doctor --restore to add them.`,
        ]),
    ...home.setAside.map((file) => `A list could not be read and was set aside: ${file}`),
    ...home.edited.map((file) => `A list was changed by somebody else and set aside: ${file}`),
    ...(home.network === undefined ? [] : [home.network]),
  ];
}
