import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { Machine } from "../agents/agent.ts";
import { findDecoder } from "../agents/index.ts";
import type { AgentCheck, DoctorReport, FileCheck } from "./diagnose.ts";
import type { FaultForm } from "./fault-text.ts";
import { type Shape, shapeOf, sizeClass } from "./shape.ts";

/** Data for an issue: no texts, no names, no paths but the usual ones of agents. */
export interface Sample {
  readonly format: 1;
  readonly waymark: DoctorReport["waymark"];
  readonly sqlite: object;
  readonly home: object;
  readonly hooks: { readonly waiting: number; readonly problems: number };
  readonly refused: readonly object[];
  readonly settings: { readonly files: number; readonly problems: number } | null;
  readonly tasks: object | null;
  /** How many problems `waymark doctor` found. */
  readonly problems: number;
  readonly agents: readonly AgentSample[];
}

interface AgentSample {
  readonly id: string;
  readonly program: boolean;
  readonly version: string | null;
  readonly unproven: boolean;
  readonly folders: readonly FolderSample[];
  readonly sessions: number;
  /** Files that were recognized by their place. */
  readonly files: number;
  readonly setUp: string | null;
  readonly list: string | null;
  readonly skipped: AgentCheck["skipped"];
  readonly unreadable: Readonly<Record<string, number>>;
  readonly records: readonly RecordSample[];
}

interface FolderSample {
  /** The usual place, or `(another place)` if a variable or setting names it. */
  readonly place: string;
  readonly there: boolean;
  /** All files by their kind, recognized or not. */
  readonly files?: Readonly<Record<string, number>>;
}

/** Records of the same shape that could not be read in full. */
interface RecordSample {
  readonly why: string;
  readonly count: number;
  readonly shape: Shape;
}

const MAX_RECORDS = 20;

/** Makes the sample of a report. Reads the records again that could not be read in full. */
export function sampleOf(report: DoctorReport, machine: Machine): Sample {
  const { waymark, sqlite, home, hooks, refused, settings, tasks, attention, agents } = report;
  return {
    format: 1,
    waymark,
    sqlite:
      "problem" in sqlite
        ? { problem: codeOf(sqlite.problem) }
        : { driver: sqlite.driver, version: versionOf(sqlite.version), walFault: sqlite.walFault },
    home: {
      there: home.there,
      bytes: sizeClass(home.bytes),
      setAside: home.setAside.length,
      edited: home.edited.length,
      network: home.network !== undefined,
      unknownLists: home.unknownLists ?? 0,
      problem: home.problem === undefined ? null : codeOf(home.problem),
    },
    hooks: { waiting: hooks.waiting, problems: hooks.problems },
    refused: refused.map(({ door, code, count }) => ({ door, code, count })),
    settings: settings
      ? { files: settings.files.length, problems: settings.problems.length }
      : null,
    tasks: tasks
      ? "problem" in tasks
        ? { problem: codeOf(tasks.problem) }
        : { counts: tasks.counts }
      : null,
    problems: attention.length,
    agents: agents.filter(({ installed }) => installed).map((agent) => agentOf(agent, machine)),
  };
}

function agentOf(agent: AgentCheck, machine: Machine): AgentSample {
  const unreadable: Record<string, number> = {};
  for (const { reason } of agent.unreadable)
    unreadable[codeOf(reason)] = (unreadable[codeOf(reason)] ?? 0) + 1;
  return {
    id: agent.id,
    program: agent.program !== null,
    version: versionOf(agent.version),
    unproven: agent.unproven !== undefined,
    folders: foldersOf(agent, machine),
    sessions: agent.sessions,
    files: agent.files,
    setUp: agent.setup?.setUp ?? null,
    list: agent.list?.state ?? null,
    skipped: agent.skipped,
    unreadable,
    records: [...recordsOf(agent.skippedIn), ...(agent.sessions === 0 ? unreadOf(agent) : [])],
  };
}

/** Error codes are known words; messages may contain paths. */
function codeOf(problem: string): string {
  return /\b(?:E[A-Z]{3,}|SQLITE_[A-Z_]+)\b/.exec(problem)?.[0] ?? "other";
}

function versionOf(version: string | null): string | null {
  return version !== null &&
    /^\d{1,5}(?:\.\d{1,5}){0,4}(?:-(?:alpha|beta|rc|nightly)[.\d]*)?$/.test(version)
    ? version
    : version && "other";
}

function foldersOf({ id, looked }: AgentCheck, machine: Machine): readonly FolderSample[] {
  const usual = findDecoder(id)?.locations?.({ ...machine, env: {} }) ?? [];
  return looked.map(({ path, there }) => {
    const isUsual = machine.home !== "" && usual.some(({ root }) => root === path);
    return {
      place: isUsual ? `~${path.slice(machine.home.length)}` : "(another place)",
      there,
      ...(there && { files: kindsOf(filesBelow(path)) }),
    };
  });
}

const KINDS: ReadonlySet<string> = new Set([".json", ".jsonl", ".db", ".sqlite", ".md"]);
const MAX_ENTRIES = 20_000;
const MAX_LEVELS = 6;

function filesBelow(root: string): readonly string[] {
  const found: string[] = [];
  let left = MAX_ENTRIES;
  const walk = (folder: string, level: number): void => {
    let entries: ReturnType<typeof entriesOf>;
    try {
      entries = entriesOf(folder);
    } catch {
      // The report counts folders that cannot be read.
      return;
    }
    for (const entry of entries) {
      if (left-- <= 0) return;
      if (entry.isDirectory() && level < MAX_LEVELS) walk(join(folder, entry.name), level + 1);
      if (entry.isFile()) found.push(join(folder, entry.name));
    }
  };
  walk(root, 0);
  return found;
}

function kindsOf(files: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const file of files) {
    const kind = KINDS.has(extname(file)) ? extname(file) : "other";
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function recordsOf(files: readonly FileCheck[]): readonly RecordSample[] {
  const found = new Map<string, RecordSample>();
  for (const file of files) {
    const lines = linesOf(file);
    for (const fault of file.lines) {
      const shape = shapeOfLine(lines(fault));
      const key = JSON.stringify([fault.code, shape]);
      const count = (found.get(key)?.count ?? 0) + 1;
      if (found.has(key) || found.size < MAX_RECORDS)
        found.set(key, { why: fault.code, count, shape });
    }
  }
  return [...found.values()];
}

const MAX_UNREAD = 3;

/** The first records of files in which no session was found: the layout may be new. */
function unreadOf({ looked }: AgentCheck): readonly RecordSample[] {
  return looked
    .flatMap(({ path, there }) => (there ? filesBelow(path) : []))
    .filter((file) => /\.jsonl?$/.test(file))
    .slice(0, MAX_UNREAD)
    .map((path) => {
      const line = path.endsWith(".json") ? null : 1;
      const text = linesOf({ path })({ line });
      return { why: "no session", count: 1, shape: shapeOfLine(text) };
    });
}

const MAX_FILE = 64 * 1024 * 1024;

/** Returns the line of a fault, or the whole document if it has no lines. Undefined for records of a database. */
function linesOf({
  path,
}: Pick<FileCheck, "path">): (fault: Pick<FaultForm, "line">) => string | undefined {
  let text: string | undefined;
  try {
    if (statSync(path).size <= MAX_FILE && !isDatabase(path)) text = readFileSync(path, "utf8");
  } catch {
    // It was removed meanwhile.
  }
  let lines: readonly string[] | undefined;
  return ({ line }) => {
    if (line === null) return text;
    lines ??= text?.split("\n");
    return lines?.[line - 1];
  };
}

function isDatabase(path: string): boolean {
  const start = Buffer.alloc(15);
  const file = openSync(path, "r");
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return start.toString("latin1") === "SQLite format 3";
}

function shapeOfLine(line: string | undefined): Shape {
  if (line === undefined) return "not available";
  try {
    return shapeOf(JSON.parse(line));
  } catch {
    return `not JSON, text of ${sizeClass(line.length)}`;
  }
}
