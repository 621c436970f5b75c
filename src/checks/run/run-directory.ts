import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileFailure } from "../../engines/storage/failure.ts";
import { ensureDirectory, replaceFile } from "../../engines/storage/files.ts";
import { uniqueToken } from "../../engines/storage/unique-token.ts";
import { isRunning, keepTouching, type Owner, thisOwner } from "../file-lock.ts";
import { checksDirectory } from "../store.ts";
import { killAll } from "./processes.ts";

/** A temporary directory for one run, and the mark of its processes. */
export interface RunDirectory {
  readonly path: string;
  readonly marker: string;
  /** Kills what is left of the run and removes the directory. */
  remove(): Promise<void>;
}

interface RunRecord extends Owner {
  readonly path: string;
  readonly marker: string;
}

const PREFIX = "waymark-run-";
const TOKEN = /^[a-z0-9]{5,20}$/;

function recordsDirectory(home: string): string {
  return join(checksDirectory(home), "running");
}

/**
 * Creates the directory of a run. It is recorded first: if this process is killed, the next run removes the directory and
 * ends its processes.
 */
export function createRunDirectory(home: string): RunDirectory {
  const marker = uniqueToken();
  const path = join(realpathSync(tmpdir()), `${PREFIX}${marker}`);
  const records = recordsDirectory(home);
  const record = join(records, `${marker}.json`);
  try {
    ensureDirectory(records);
    replaceFile(record, JSON.stringify({ ...thisOwner(), path, marker } satisfies RunRecord));
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    rmSync(record, { force: true });
    throw fileFailure("Preparing the check", path, error);
  }
  const stop = keepTouching(record);
  return {
    path,
    marker,
    async remove() {
      await removeRun(path, marker);
      stop();
      rmSync(record, { force: true });
    },
  };
}

async function removeRun(path: string, marker: string): Promise<void> {
  await killAll({ marker, directory: path });
  removeTree(path);
}

/** Removes a directory, also if the check made parts of it read-only. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    makeWritable(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeWritable(dir: string): void {
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(dir, 0o700);
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(dir, entry.name));
}

/** Ends runs whose process was killed, and removes their directories. */
export async function removeAbandonedRuns(home: string): Promise<void> {
  const records = recordsDirectory(home);
  for (const name of namesIn(records)) {
    const file = join(records, name);
    const record = readRecord(file);
    const touchedAt = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (!record || isRunning(record, touchedAt)) continue;
    await removeRun(record.path, record.marker);
    rmSync(file, { force: true });
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith(".json"));
  } catch {
    // No run yet.
    return [];
  }
}

/** Undefined for a file that does not name a directory of ours: nothing else may be removed. */
function readRecord(file: string): RunRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, "utf8")) as RunRecord;
    const isOurs =
      TOKEN.test(record.marker) &&
      basename(record.path) === `${PREFIX}${record.marker}` &&
      Number.isInteger(record.pid);
    return isOurs ? record : undefined;
  } catch {
    return undefined;
  }
}
