import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { WaymarkError } from "../core/error.ts";
import { createAtomically, replaceWithoutSync } from "../engines/storage/files.ts";

const TOKEN = "serve-token";
const RUNNING = "serve.json";
const SHAPE = /^[\w-]{43}$/;

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The token of this home: the same after a restart, so that open pages keep working. */
export function loadOrCreateToken(home: string): string {
  const path = join(home, TOKEN);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const known = readIfExists(path)?.trim();
    if (known !== undefined && SHAPE.test(known)) {
      chmodSync(path, 0o600);
      return known;
    }
    // Not a token: replaced. A missing file is not removed, because another process may just have created it.
    if (known !== undefined) rmSync(path, { force: true });
    const token = newToken();
    createAtomically(path, `${token}\n`);
    return token;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // Another process created it first.
    if (code === "EEXIST") return loadOrCreateToken(home);
    throw new WaymarkError(
      "home_unwritable",
      `The token cannot be stored: ${message}. Check the owner and mode of ${home}, or set WAYMARK_HOME to another directory.`,
      { cause },
    );
  }
}

/** Stores a token in a home that has none. */
export function createToken(home: string, token: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  createAtomically(join(home, TOKEN), `${token}\n`);
}

/** A server that runs on this home. */
export interface Running {
  readonly url: string;
  readonly pid: number;
}

export function writeRunning(home: string, running: Running): void {
  replaceWithoutSync(join(home, RUNNING), `${JSON.stringify(running)}\n`);
}

/** Removes only our own record: a later server, perhaps in another container with our pid, may have written its own. */
export function removeRunning(home: string, { url, pid }: Running): void {
  const recorded = readRunning(home);
  if (recorded?.url === url && recorded.pid === pid) rmSync(join(home, RUNNING), { force: true });
}

export function readRunning(home: string): Running | undefined {
  try {
    const { url, pid } = JSON.parse(readIfExists(join(home, RUNNING)) ?? "{}");
    const isOurs = typeof url === "string" && /^http:\/\/127\.0\.0\.1:\d+\/$/.test(url);
    return isOurs && Number.isSafeInteger(pid) ? { url, pid } : undefined;
  } catch {
    // Half-written or not ours.
    return undefined;
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
