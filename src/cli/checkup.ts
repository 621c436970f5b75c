import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Live } from "../core/live.ts";
import { isAtLeast } from "../core/version.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { DIALECTS } from "../dialects/index.ts";
import { SETUPS } from "../hosts/setup/agents/index.ts";
import { type AgentStatus, statusOfAll } from "../hosts/setup/status.ts";
import { loadDriver } from "../sqlite/driver.ts";
import { type Agents, type AgentsCall, machineOf, readAgents } from "./agents.ts";
import { thisProgram } from "./this-program.ts";
import { timeForm } from "./track-form.ts";

/** What is known of one agent program on this machine. */
export interface AgentCheck {
  readonly id: string;
  readonly name: string;
  readonly installed: boolean;
  readonly looked: readonly { readonly path: string; readonly there: boolean }[];
  readonly sessions: number;
  readonly files: number;
  readonly newest: string | null;
  /** Of the program, as its newest session tells. */
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
  /** What could not be understood, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** In which files. */
  readonly skippedIn: readonly string[];
  readonly unreadable: readonly { readonly path: string; readonly reason: string }[];
}

export interface Checkup {
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
  };
  /** What somebody should look at, in words. */
  readonly attention: readonly string[];
}

export async function checkUp(call: AgentsCall, userHome: string | undefined): Promise<Checkup> {
  const found = await readAgents(call, userHome);
  const setups = setupsOf(call, userHome);
  const agents = DIALECTS.filter(({ places }) => places).map((dialect) => ({
    ...checkAgent(dialect, found),
    ...setups.get(dialect.id),
  }));
  const sqlite = await checkSqlite();
  const home = checkHome(call.home.path);
  return { agents, sqlite, home, attention: attentionOf({ agents, sqlite, home }) };
}

function setupsOf(call: AgentsCall, userHome: string | undefined) {
  const machine = machineOf(call.env, userHome);
  const surroundings = {
    machine,
    path: call.env.PATH ?? "",
    program: thisProgram(call.env, machine.platform),
    home: call.home.path,
  };
  const known = statusOfAll(surroundings).map(({ agent, setUp }) => {
    const setup: Pick<AgentCheck, "setup"> = { setup: { agent, setUp } };
    return [SETUPS[agent].dialect, setup] as const;
  });
  return new Map(known);
}

const NEWEST_SHOWN = 20;

function checkAgent(
  dialect: Dialect,
  { tracks, discovered, unreadable, index }: Agents,
): AgentCheck {
  const { id, name } = dialect;
  const ours = tracks.filter(({ live }) => live.agentType === id);
  const entries = [...index.values()].filter((entry) => entry.dialect === id);
  const bad = entries.filter(
    (entry) => Object.keys(skippedBy(Object.values(entry.lives))).length > 0,
  );
  const looked = discovered.roots.filter((root) => root.dialect === id);
  const version = ours.find(({ live }) => live.version !== undefined)?.live.version;
  return {
    id,
    name,
    installed: looked.some(({ there }) => there),
    looked: looked.map(({ root, there }) => ({ path: root, there })),
    sessions: new Set(ours.map(({ live }) => live.session)).size,
    files: discovered.sources.filter((source) => source.dialect === id).length,
    newest: timeForm(ours[0]?.updatedAt ?? 0),
    version: version ?? null,
    ...listOf(
      dialect,
      version,
      ours.map(({ live }) => live),
    ),
    skipped: skippedBy(entries.flatMap((entry) => Object.values(entry.lives))),
    skippedIn: bad.slice(0, NEWEST_SHOWN).map(({ path }) => path),
    unreadable: unreadable
      .filter((problem) => problem.dialect === id)
      .map(({ path, reason }) => ({ path, reason })),
  };
}

function skippedBy(lives: readonly Live[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { skipped } of lives)
    for (const [code, count] of Object.entries(skipped)) counts[code] = (counts[code] ?? 0) + count;
  return counts;
}

/** An agent that wrote a list with such a version has it switched on. */
function listOf(
  { listSetting }: Dialect,
  version: string | undefined,
  lives: readonly Live[],
): Pick<AgentCheck, "list"> {
  if (!listSetting) return {};
  const { since } = listSetting;
  const concerned = (seen: string | undefined) =>
    since === undefined || (seen !== undefined && isAtLeast(seen, since));
  if (!concerned(version)) return {};
  const newest = lives.find((live) => live.agent === "main" && concerned(live.version));
  return { list: { state: newest?.track.version ? "on" : "off by default", ...listSetting } };
}

/** The first SQLite in which a checkpoint that meets a writer loses nothing. */
const WAL_MENDED = "3.51.3";

async function checkSqlite(): Promise<Checkup["sqlite"]> {
  try {
    const { name, version } = await loadDriver();
    return { driver: name, version, walFault: !isAtLeast(version, WAL_MENDED) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function checkHome(path: string): Checkup["home"] {
  const there = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  const files = there
    ? readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(path, file))
    : [];
  const bytes = files.reduce((sum, file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    return sum + (stat?.isFile() ? stat.size : 0);
  }, 0);
  return { path, there, bytes, setAside: files.filter((file) => /\.broken-\d+$/.test(file)) };
}

function attentionOf({ agents, sqlite, home }: Omit<Checkup, "attention">): readonly string[] {
  return [
    ...agents.flatMap(({ name, unreadable }) =>
      unreadable.map(({ path, reason }) => `${name}: ${path} cannot be read (${reason})`),
    ),
    ...("problem" in sqlite ? [sqlite.problem] : []),
    ...home.setAside.map((file) => `A list could not be read and was set aside: ${file}`),
  ];
}
