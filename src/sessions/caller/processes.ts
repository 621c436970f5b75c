import { readFileSync, readlinkSync } from "node:fs";

/** A process of this machine. Its start time distinguishes it from a later one with the same pid. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly startTime: string;
}

const MAX_ANCESTORS = 32;

/** A process and its ancestors, nearest first; empty if they cannot be found out. */
export function ancestryOf(pid: number, platform: NodeJS.Platform = process.platform): Process[] {
  const find = platform === "linux" ? fromProc : platform === "win32" ? () => undefined : fromPs();
  return ancestryIn(pid, find);
}

/** A process and its ancestors; `find` looks up one process. */
export function ancestryIn(pid: number, find: (pid: number) => Process | undefined): Process[] {
  const found: Process[] = [];
  for (let next = pid; next > 1 && found.length < MAX_ANCESTORS; ) {
    const one = find(next);
    if (!one) break;
    found.push(one);
    next = one.parent;
  }
  return found;
}

/**
 * The pid namespace of this process, such as that of a container: a pid is meaningless in another one.
 * Empty if the system has none.
 */
export function pidNamespace(): string {
  if (process.platform !== "linux") return "";
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "";
  } catch {
    return "";
  }
}

/** The start time of a process, if it can be read without starting another one. */
export function startTimeOf(pid: number): string | undefined {
  return process.platform === "linux" ? fromProc(pid)?.startTime : undefined;
}

function fromProc(pid: number): Process | undefined {
  try {
    return processInStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    // The process has ended.
    return undefined;
  }
}

/** The process that `/proc/PID/stat` describes. */
export function processInStat(pid: number, stat: string): Process {
  // The name is in parentheses and may itself contain parentheses and spaces.
  const end = stat.lastIndexOf(")");
  const rest = stat.slice(end + 2).split(" ");
  const name = stat.slice(stat.indexOf("(") + 1, end);
  return { pid, parent: Number(rest[1]), name, startTime: rest[19] ?? "" };
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/s;

function fromPs(): (pid: number) => Process | undefined {
  // Loaded late: Linux does not need it.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout } = spawnSync("ps", ["-axo", "pid=,ppid=,lstart=,comm="], { encoding: "utf8" });
  return (pid) => processInPs(pid, stdout ?? "");
}

/** A process in the output of `ps -o pid=,ppid=,lstart=,comm=`. */
export function processInPs(pid: number, output: string): Process | undefined {
  const line = new RegExp(`^\\s*${pid}\\s.*$`, "m").exec(output)?.[0];
  const [, , parent, startTime, command] = PS_LINE.exec(line ?? "") ?? [];
  if (parent === undefined || startTime === undefined || command === undefined) return undefined;
  return { pid, parent: Number(parent), name: command.split("/").at(-1) ?? command, startTime };
}
