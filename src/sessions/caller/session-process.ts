import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../engines/storage/alive.ts";
import { replaceLoosely } from "../../engines/storage/place.ts";
import { bornOf } from "./processes.ts";

/**
 * One line per session, `PID BORN`: the agent process whose hooks were seen last. It tells a hook
 * that the session continues in a new process, which some programs do without any event. The
 * shell script `bin/waymark-hook` reads it too.
 */
function fileOf(home: string, session: string): string {
  return join(home, "sessions", `${session}.pid`);
}

interface SessionProcess {
  readonly pid: number;
  /** Empty where the machine does not say. */
  readonly born: string;
}

export function writeProcess(home: string, session: string, { pid, born }: SessionProcess): void {
  // Without a time of birth the parent may be a shell that lives for one event: 0 disables the check.
  const line = `${born === "" ? 0 : pid} ${born}\n`;
  if (readLine(home, session) !== line) replaceLoosely(fileOf(home, session), line);
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
  const [, pid, born] = /^(\d{1,10}) (.*)\n$/.exec(readLine(home, session) ?? "") ?? [];
  if (pid === undefined) return false;
  if (pid === "0") return true;
  return isAlive(Number(pid)) && (bornOf(Number(pid)) ?? born) === born;
}

function readLine(home: string, session: string): string | undefined {
  try {
    return readFileSync(fileOf(home, session), "utf8");
  } catch {
    return undefined;
  }
}
