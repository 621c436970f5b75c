import { readFileSync, rmSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { createAtomically } from "../engines/storage/files.ts";
import { isAlive } from "../engines/storage/is-alive.ts";
import { uniqueToken } from "../engines/storage/unique-token.ts";
import { pidNamespace, startTimeOf } from "../sessions/caller/processes.ts";

/** A process that may have ended, or be another one with the same pid. */
export interface Owner {
  readonly pid: number;
  readonly startTime: string;
  readonly namespace: string;
}

export function thisOwner(): Owner {
  return {
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? "",
    namespace: pidNamespace(),
  };
}

/** Processes of another pid namespace cannot be seen: they count as running. */
export function isRunning({ pid, startTime, namespace }: Owner): boolean {
  if (namespace !== pidNamespace()) return true;
  if (!isAlive(pid)) return false;
  const now = startTimeOf(pid);
  return startTime === "" || now === undefined || now === startTime;
}

/** Milliseconds after which a lock whose owner cannot be read was left by a killed process. */
const UNREADABLE_AFTER = 5_000;

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called once if another process has the lock. */
  onWait?(): void;
  /** Default: no limit. */
  readonly limitMs?: number;
}

/**
 * Takes a lock between processes: a file that names its owner. Returns the function that releases it;
 * undefined on timeout. The lock of a process that was killed is taken over.
 */
export async function takeLock(
  file: string,
  { signal, onWait, limitMs = Number.POSITIVE_INFINITY }: LockOptions = {},
): Promise<(() => void) | undefined> {
  const own = JSON.stringify({ ...thisOwner(), token: uniqueToken() });
  const begun = performance.now();
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    try {
      createAtomically(file, own);
      return () => {
        if (contentOf(file) === own) rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (isAbandoned(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (tries === 0) onWait?.();
    if (performance.now() - begun > limitMs) return undefined;
    await setTimeout(Math.min(20 + tries * 10, 250), undefined, { ...(signal && { signal }) });
  }
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function isAbandoned(file: string): boolean {
  const text = contentOf(file);
  if (text === undefined) return false;
  try {
    return !isRunning(JSON.parse(text) as Owner);
  } catch {
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return Math.abs(age) > UNREADABLE_AFTER;
  }
}
