import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CommandError, WaymarkError } from "../core/error.ts";
import { fileFailure } from "../engines/storage/failure.ts";
import { ensureDirectory, refuseSymlink, replaceFile } from "../engines/storage/files.ts";
import { refuseNewerFile } from "../engines/storage/migrations.ts";
import type { CheckDefinition } from "./definition.ts";
import { takeLock } from "./file-lock.ts";
import type { RunResult } from "./run/run-check.ts";

/** The last run of a check, for `waymark check list` and for processes that waited for it. */
export interface LastRun extends RunResult {
  /** When the files were copied. */
  readonly at: number;
  readonly endedAt: number;
  readonly tree: string;
  /** Hash of the definition that was run. */
  readonly hash: string;
}

/** The user's decisions about one repository. */
export interface Approvals {
  /** Path of the repository; only for readers of the file. */
  readonly repository: string;
  readonly checks: readonly CheckDefinition[];
  /** Names of checks of the repository, with the hash that the user trusted. */
  readonly trusted: Readonly<Record<string, string>>;
}

const VERSION = 1;
const LOCK_LIMIT = 10_000;

/** Identifies a repository in file names. */
export function repositoryKey(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 24);
}

/** The directory of everything about checks. */
export function checksDirectory(home: string): string {
  return join(home, "checks");
}

function fileOf(home: string, path: string): string {
  return join(checksDirectory(home), `${repositoryKey(path)}.json`);
}

export function readApprovals(home: string, path: string): Approvals {
  const empty = { repository: path, checks: [], trusted: {} };
  const file = fileOf(home, path);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return empty;
    throw fileFailure("Reading checks", file, error);
  }
  try {
    const { checks, trusted, version } = JSON.parse(text) as Approvals & { version?: unknown };
    refuseNewerFile(version, VERSION, file);
    if (!Array.isArray(checks) || typeof trusted !== "object" || trusted === null) throw Error();
    return { repository: path, checks, trusted };
  } catch (error) {
    if (error instanceof WaymarkError) throw error;
    throw new WaymarkError(
      "checks_unreadable",
      `${file} does not contain checks. Remove it, and add the checks of ${path} again.`,
    );
  }
}

/** Changes the approvals of a repository, one process at a time. */
export async function changeApprovals(
  home: string,
  path: string,
  change: (before: Approvals) => Approvals,
): Promise<void> {
  const dir = checksDirectory(home);
  const file = fileOf(home, path);
  try {
    refuseSymlink(dir);
    ensureDirectory(dir);
    const release = await takeLock(`${file}.lock`, { limitMs: LOCK_LIMIT });
    try {
      replaceFile(file, `${JSON.stringify(change(readApprovals(home, path)), null, 2)}\n`);
    } finally {
      release?.();
    }
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw fileFailure("Storing checks", file, error);
  }
}

/** The lock of the runs of a check. */
export function lockFile(home: string, path: string, name: string): string {
  return join(checksDirectory(home), "runs", `${repositoryKey(path)}-${name}.lock`);
}

function lastRunFile(home: string, path: string, name: string): string {
  return join(checksDirectory(home), "runs", `${repositoryKey(path)}-${name}.json`);
}

/** The last run of a check of a repository; undefined if there is none. */
export function readLastRun(home: string, path: string, name: string): LastRun | undefined {
  try {
    const run = JSON.parse(readFileSync(lastRunFile(home, path, name), "utf8")) as LastRun;
    return typeof run.at === "number" && typeof run.ok === "boolean" ? run : undefined;
  } catch {
    // None yet, or half-written: it is shown as not run.
    return undefined;
  }
}

export function writeLastRun(home: string, path: string, name: string, run: LastRun): void {
  const file = lastRunFile(home, path, name);
  try {
    ensureDirectory(join(checksDirectory(home), "runs"));
    replaceFile(file, `${JSON.stringify(run)}\n`);
  } catch (error) {
    throw fileFailure("Storing the run", file, error);
  }
}
