import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceWithoutSync } from "../../engines/storage/files.ts";
import { isAlive } from "../../engines/storage/is-alive.ts";
import { startTimeOf } from "./processes.ts";

/**
 * One line per session, `PID START_TIME`: the agent process whose hooks ran last. A hook compares it to
 * notice that the session continues in a new process, for which some agents send no event.
 * `bin/waymark-hook` reads the file too.
 */
function fileOf(home: string, session: string): string {
  return join(home, "sessions", `${session}.pid`);
}

interface SessionProcess {
  readonly pid: number;
  /** Empty if unknown. */
  readonly startTime: string;
}

export function writeProcess(
  home: string,
  session: string,
  { pid, startTime }: SessionProcess,
): void {
  // Without a start time, the parent may be a shell that runs for one event: 0 disables the check.
  const line = `${startTime === "" ? 0 : pid} ${startTime}\n`;
  if (readLine(home, session) !== line) replaceWithoutSync(fileOf(home, session), line);
}

/** Removes the line of one session, and those of processes that have ended. */
export function removeProcesses(home: string, ended?: string): void {
  let names: readonly string[];
  try {
    names = readdirSync(join(home, "sessions"));
  } catch {
    return;
  }
  for (const name of names) {
    const session = /^(.+)\.pid$/.exec(name)?.[1];
    if (session === undefined) continue;
    if (session === ended || !isProcessAlive(home, session))
      rmSync(fileOf(home, session), { force: true });
  }
}

/** False when the session has no known process, or that process has ended. */
export function isProcessAlive(home: string, session: string): boolean {
  const [, pid, startTime] = /^(\d{1,10}) (.*)\n$/.exec(readLine(home, session) ?? "") ?? [];
  if (pid === undefined) return false;
  if (pid === "0") return true;
  return isAlive(Number(pid)) && (startTimeOf(Number(pid)) ?? startTime) === startTime;
}

/** Whether the session has a known process and that process has ended. */
export function hasEndedProcess(home: string, session: string): boolean {
  return readLine(home, session) !== undefined && !isProcessAlive(home, session);
}

function readLine(home: string, session: string): string | undefined {
  try {
    return readFileSync(fileOf(home, session), "utf8");
  } catch {
    return undefined;
  }
}
