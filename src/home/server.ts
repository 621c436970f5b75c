import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { WaymarkError } from "../core/error.ts";
import { makeWhole, replaceLoosely } from "../engines/storage/place.ts";

const TOKEN = "serve-token";
const RUNNING = "serve.json";
const SHAPE = /^[\w-]{43}$/;

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The token of this home: the same after a restart, so that open pages go on. */
export function keptToken(home: string): string {
  const path = join(home, TOKEN);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const known = readIfThere(path)?.trim();
    if (known !== undefined && SHAPE.test(known)) {
      chmodSync(path, 0o600);
      return known;
    }
    // What is no token is nobody's. Where nothing was, something may be by now: another one's token.
    if (known !== undefined) rmSync(path, { force: true });
    const token = newToken();
    makeWhole(path, `${token}\n`);
    return token;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    // Another one that started at the same moment was first.
    if (code === "EEXIST") return keptToken(home);
    throw new WaymarkError(
      "home_unwritable",
      `The token cannot be kept: ${message}. Check the owner and mode of ${home}, or name another place with WAYMARK_HOME.`,
      { cause },
    );
  }
}

/** Makes this the token of a home that has none. */
export function putToken(home: string, token: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  makeWhole(join(home, TOKEN), `${token}\n`);
}

/** A server that runs on this home. */
export interface Running {
  readonly url: string;
  readonly pid: number;
}

export function noteRunning(home: string, running: Running): void {
  replaceLoosely(join(home, RUNNING), `${JSON.stringify(running)}\n`);
}

/** Only our own note: another server may have come after us, in another container with our number. */
export function forgetRunning(home: string, { url, pid }: Running): void {
  const noted = readRunning(home);
  if (noted?.url === url && noted.pid === pid) rmSync(join(home, RUNNING), { force: true });
}

export function readRunning(home: string): Running | undefined {
  try {
    const { url, pid } = JSON.parse(readIfThere(join(home, RUNNING)) ?? "{}");
    const isOurs = typeof url === "string" && /^http:\/\/127\.0\.0\.1:\d+\/$/.test(url);
    return isOurs && Number.isSafeInteger(pid) ? { url, pid } : undefined;
  } catch {
    // Half-written or not ours: as good as none.
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
