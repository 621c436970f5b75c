import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename } from "node:path";
import { identityOf } from "../../agents/identities.ts";
import { TERMINAL_VARIABLES, type TerminalProcess } from "../../core/jump.ts";
import { recordedProcesses } from "./session.ts";

/** A process of this user that may be the agent of a session. */
export interface AgentProcess extends TerminalProcess {
  /** Program and arguments. */
  readonly words: readonly string[];
  /** Undefined where the system does not tell. */
  readonly cwd?: string | undefined;
  readonly startedAt?: number | undefined;
  /** A hook recorded the process for the session, or its arguments name the session. */
  readonly isCertain: boolean;
}

/** The known facts about the agent of a session. */
export interface SoughtAgent {
  readonly session: string;
  readonly agentType?: string | undefined;
  readonly cwd?: string | undefined;
}

/** A process that a hook recorded for a session. */
export type RecordedProcess = Pick<
  ReturnType<typeof recordedProcesses>[number],
  "pid" | "session" | "terminal"
>;

/**
 * The processes that may be the agent of a session. If one is certain, only certain ones; otherwise programs with the
 * agent's command in the same directory that no hook recorded for another session.
 */
export function agentProcesses(
  home: string,
  sought: SoughtAgent,
  platform: NodeJS.Platform = process.platform,
): readonly AgentProcess[] {
  const recorded = recordedProcesses(home);
  const find = platform === "linux" ? fromProc : undefined;
  const all = find ? allPids().flatMap((pid) => find(pid) ?? []) : fromPs(platform);
  return processesOf(sought, recorded, all);
}

/** Those of `all` processes that may be the agent; `recorded` are the processes of all sessions. */
export function processesOf(
  { session, agentType, cwd }: SoughtAgent,
  recorded: readonly RecordedProcess[],
  all: readonly AgentProcess[],
): readonly AgentProcess[] {
  const own = recorded.filter((file) => file.session === session);
  const certain = all.flatMap((each) => {
    const file = own.find(({ pid }) => pid === each.pid);
    if (!file && !each.words.some((word) => namesSession(word, session))) return [];
    return [{ ...each, env: { ...file?.terminal, ...each.env }, isCertain: true }];
  });
  if (certain.length > 0) return certain;
  const command = identityOf(agentType)?.command;
  if (command === undefined || cwd === undefined) return [];
  const taken = new Set(recorded.map(({ pid }) => pid));
  return all.filter(
    (each) =>
      each.tty !== undefined &&
      !taken.has(each.pid) &&
      runs(command, each.words) &&
      (each.cwd === undefined || each.cwd === cwd),
  );
}

/**
 * The process of an agent, if a hook recorded it, or if it runs the agent's command and its arguments name the session:
 * another program, such as an editor or `waymark watch`, may name the session as well.
 */
export function certainProcess(home: string, sought: SoughtAgent): number | undefined {
  return certainIn(sought, recordedProcesses(home), agentProcesses(home, sought));
}

/** The same, among the processes that may be the agent. */
export function certainIn(
  sought: SoughtAgent,
  recordings: readonly RecordedProcess[],
  possible: readonly AgentProcess[],
): number | undefined {
  const command = identityOf(sought.agentType)?.command;
  const recorded = new Set(
    recordings.flatMap(({ pid, session }) => (session === sought.session ? [pid] : [])),
  );
  const [first, ...others] = possible.filter(
    ({ pid, words, isCertain }) =>
      isCertain && (recorded.has(pid) || (command !== undefined && runs(command, words))),
  );
  return others.length === 0 ? first?.pid : undefined;
}

/** An id of a few characters may occur by chance. */
const MIN_ID = 8;

function namesSession(word: string, session: string): boolean {
  return session.length >= MIN_ID && (word === session || word.endsWith(`=${session}`));
}

const INTERPRETERS = /^(?:node|nodejs|bun|deno|python3?)$/;

/** Whether a command line runs a program, directly or with an interpreter. */
function runs(command: string, [program = "", ...args]: readonly string[]): boolean {
  const nameOf = (path: string) => basename(path).replace(/\.(?:[cm]?js|exe)$/, "");
  if (nameOf(program) === command) return true;
  const script = INTERPRETERS.test(nameOf(program)) && args.find((word) => !word.startsWith("-"));
  return typeof script === "string" && nameOf(script) === command;
}

function allPids(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

const MAX_WORDS = 200;

/** Undefined for processes of other users and those that have ended. */
function fromProc(pid: number): AgentProcess | undefined {
  const dir = `/proc/${pid}`;
  try {
    if (process.getuid && statSync(dir).uid !== process.getuid()) return undefined;
    const stat = readFileSync(`${dir}/stat`, "latin1");
    return processInProc(pid, {
      stat,
      environ: textOf(`${dir}/environ`),
      cmdline: readFileSync(`${dir}/cmdline`, "utf8"),
      cwd: readlinkSync(`${dir}/cwd`),
      system: textOf("/proc/stat"),
    });
  } catch {
    return undefined;
  }
}

/** Empty if the file cannot be read. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The files of a process in `/proc`. */
export interface ProcFiles {
  readonly stat: string;
  readonly environ: string;
  readonly cmdline: string;
  readonly cwd: string;
  /** `/proc/stat`, which has the time at which the system was started. */
  readonly system: string;
}

export function processInProc(
  pid: number,
  { stat, environ, cmdline, cwd, system }: ProcFiles,
): AgentProcess {
  const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    tty: deviceOf(Number(rest[4])),
    env: terminalIn(environ),
    words: cmdline.split("\0").slice(0, MAX_WORDS),
    cwd,
    startedAt: startedAt(Number(rest[19]), system),
    isCertain: false,
  };
}

/** The controlling terminal from its device number; undefined if there is none. */
function deviceOf(device: number): string | undefined {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  if (major >= 136 && major <= 143) return `/dev/pts/${(major - 136) * 256 + minor}`;
  return major === 4 && minor < 64 ? `/dev/tty${minor}` : undefined;
}

function terminalIn(environ: string): Readonly<Record<string, string>> {
  const wanted: readonly string[] = TERMINAL_VARIABLES;
  return Object.fromEntries(
    environ.split("\0").flatMap((pair) => {
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      return at !== -1 && wanted.includes(name) ? [[name, pair.slice(at + 1)]] : [];
    }),
  );
}

/** The unit of start times; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

function startedAt(ticks: number, system: string): number | undefined {
  const booted = /^btime (\d+)$/m.exec(system)?.[1];
  return booted === undefined ? undefined : (Number(booted) + ticks / TICKS_PER_SECOND) * 1_000;
}

const PS_LINE = /^\s*(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/s;

/** Without directories, which `ps` does not print. */
function fromPs(platform: NodeJS.Platform): readonly AgentProcess[] {
  if (platform === "win32") return [];
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const args = ["-xo", "pid=,tty=,lstart=,command="];
  const { stdout } = spawnSync("ps", args, { encoding: "utf8", timeout: 3_000 });
  return processesInPs(stdout ?? "");
}

/** The processes in the output of `ps -o pid=,tty=,lstart=,command=`. */
export function processesInPs(output: string): readonly AgentProcess[] {
  return output.split("\n").flatMap((line) => {
    const [, pid, tty = "", started = "", command = ""] = PS_LINE.exec(line) ?? [];
    if (pid === undefined) return [];
    const at = Date.parse(started);
    return [
      {
        pid: Number(pid),
        tty: /^(?:tty|pts)/.test(tty) ? `/dev/${tty}` : undefined,
        env: {},
        words: command.split(" "),
        startedAt: Number.isNaN(at) ? undefined : at,
        isCertain: false,
      },
    ];
  });
}
