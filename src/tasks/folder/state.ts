import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "../../core/values.ts";
import { ensureDirectory, replaceFile } from "../../engines/storage/files.ts";
import { refuseNewerFile } from "../../engines/storage/migrations.ts";
import type { BaseFields, FieldConflict } from "../files/merge.ts";

/** One file and its task as of the last sync. */
export interface BaseEntry {
  /** Key of the file in the folder. */
  readonly key: string;
  readonly path: string;
  /** Tells a task from another one that got its id in a replaced store. */
  readonly createdAt: number;
  readonly base: BaseFields;
  readonly conflicts?: readonly FieldConflict[];
  /** The file is missing and the task is closed. */
  readonly isGone?: true;
}

/** By id of the task. */
export type Bases = Readonly<Record<string, BaseEntry>>;

export interface SyncState {
  readonly version: 1;
  readonly folder: string;
  /** The branch and commit at the last sync. */
  readonly branch: string;
  readonly commit?: string;
  /** One set for each branch: a checkout changes files without an edit. */
  readonly branches: Readonly<Record<string, Bases>>;
}

const VERSION = 1;

/** Reads the last synced versions; undefined if there are none that can be used. */
export function readState(file: string): SyncState | undefined {
  const read = parsed(textOf(file));
  if (!isRecord(read)) return undefined;
  refuseNewerFile(read.version, VERSION, file);
  const isUsable = read.version === VERSION && isRecord(read.branches);
  return isUsable ? (read as unknown as SyncState) : undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    // Without a base, the sync merges two sides, which loses nothing.
    return undefined;
  }
}

export function writeState(file: string, state: SyncState): void {
  ensureDirectory(dirname(file));
  const text = JSON.stringify(state);
  if (text !== textOf(file)) replaceFile(file, text);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
