import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
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

/**
 * Whether a process still runs. One of another pid namespace, such as a container with the same home, cannot be seen: it
 * counts as running while it touches its file, at `touchedAt`.
 */
export function isRunning({ pid, startTime, namespace }: Owner, touchedAt: number): boolean {
  if (namespace !== pidNamespace()) return Math.abs(Date.now() - touchedAt) < UNSEEN_AFTER;
  if (!isAlive(pid)) return false;
  const now = startTimeOf(pid);
  return startTime === "" || now === undefined || now === startTime;
}

/** Milliseconds between touches of a file by its owner. */
const TOUCH_EVERY = 5_000;
const UNSEEN_AFTER = 60_000;

/** Touches a file while its owner runs. Returns the function that stops it. */
export function keepTouching(file: string): () => void {
  const timer = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Removed by another process.
    }
  }, TOUCH_EVERY);
  timer.unref();
  return () => clearInterval(timer);
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
      const stop = keepTouching(file);
      return () => {
        stop();
        if (contentOf(file) === own) rmSync(file, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const abandoned = abandonedContent(file);
    if (abandoned !== undefined) {
      removeIf(file, abandoned);
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

/** The content of a lock whose owner was killed; undefined if the lock is in use or released. */
function abandonedContent(file: string): string | undefined {
  const text = contentOf(file);
  const touchedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (text === undefined || touchedAt === undefined) return undefined;
  try {
    return isRunning(JSON.parse(text) as Owner, touchedAt) ? undefined : text;
  } catch {
    return Math.abs(Date.now() - touchedAt) > UNREADABLE_AFTER ? text : undefined;
  }
}

/** Removes a lock unless another process has taken it over since. */
function removeIf(file: string, content: string): void {
  const aside = `${file}.${uniqueToken()}`;
  try {
    renameSync(file, aside);
    if (contentOf(aside) !== content) linkSync(aside, file);
  } catch {
    // Another process removed it, or has the lock by now.
  } finally {
    rmSync(aside, { force: true });
  }
}
