import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { MARKER } from "./environment.ts";

/** How to recognize the processes of a run. */
export interface RunTraces {
  /** The value of the variable that all of them inherit. */
  readonly marker: string;
  /** The directory that belongs to the run alone. */
  readonly directory: string;
  /** The first process, which leads a session and a process group of its own. */
  readonly leader?: number | undefined;
}

/** Between the request to end and the kill. */
const GRACE = 2_000;
const ROUNDS = 40;
const PAUSE = 50;

/** The processes of a run that are still there, including those that left its process group. Linux only. */
export function processesOf({ marker, directory, leader }: RunTraces): readonly number[] {
  if (process.platform !== "linux") return [];
  const found: number[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || pid <= 1) continue;
    if (isZombie(pid)) continue;
    if (
      (leader !== undefined && sessionOf(pid) === leader) ||
      hasMarker(pid, marker) ||
      isIn(pid, directory)
    )
      found.push(pid);
  }
  return found;
}

function fieldsOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name before is in parentheses and may contain anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function isZombie(pid: number): boolean {
  const [state = "X"] = fieldsOf(pid);
  return state === "Z" || state === "X";
}

function sessionOf(pid: number): number {
  return Number(fieldsOf(pid)[3]);
}

function hasMarker(pid: number, marker: string): boolean {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return variables.includes(`${MARKER}=${marker}`);
  } catch {
    // Ended, or of another user.
    return false;
  }
}

/** A process that cleared its environment still has its directory. */
function isIn(pid: number, directory: string): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`);
    return cwd === directory || cwd.startsWith(`${directory}/`);
  } catch {
    return false;
  }
}

/** Asks the process group to end. */
export function askToEnd(leader: number): void {
  signalGroup(leader, "SIGTERM");
}

function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    // Windows has no groups that a signal reaches; /T includes the children.
    const { spawnSync } = process.getBuiltinModule("node:child_process");
    spawnSync("taskkill", ["/PID", String(leader), "/T", "/F"], { stdio: "ignore" });
    return;
  }
  signalOne(-leader, signal);
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** Kills every process of a run at once, without waiting. For a program that is about to end. */
export function killNow(traces: RunTraces): void {
  if (traces.leader !== undefined) signalGroup(traces.leader, "SIGKILL");
  for (const pid of processesOf(traces)) signalOne(pid, "SIGKILL");
}

/** Kills every process of a run until none is left. Returns those that could not be killed. */
export async function killAll(traces: RunTraces): Promise<readonly number[]> {
  for (let round = 0; ; round++) {
    if (traces.leader !== undefined) signalGroup(traces.leader, "SIGKILL");
    const left = processesOf(traces);
    if (left.length === 0 || round === ROUNDS) return left;
    // Stopped first, so that none of them starts another one while the rest is killed.
    for (const pid of left) signalOne(pid, "SIGSTOP");
    for (const pid of left) signalOne(pid, "SIGKILL");
    await setTimeout(PAUSE);
  }
}

/** Ends the processes of a run: asks first, then kills. */
export async function endAll(traces: RunTraces, hasEnded: () => boolean): Promise<void> {
  if (traces.leader !== undefined) askToEnd(traces.leader);
  const until = performance.now() + GRACE;
  while (!hasEnded() && performance.now() < until) await setTimeout(PAUSE);
  await killAll(traces);
}
