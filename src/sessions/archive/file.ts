import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeLock } from "../../checks/file-lock.ts";
import type { Archive, ArchiveEntry } from "../../core/archive.ts";
import { WaymarkError } from "../../core/error.ts";
import { isRecord } from "../../core/values.ts";
import { fileFailure } from "../../engines/storage/failure.ts";
import { ensureDirectory, replaceFile, syncDirectory } from "../../engines/storage/files.ts";

const FILE = "archive.json";
const VERSION = 1;
const LOCK_LIMIT = 10_000;
/** Beyond that, the oldest decisions are forgotten: their sessions are shown again. */
const MAX_ENTRIES = 20_000;

function fileOf(home: string): string {
  return join(home, FILE);
}

/** One decision of the user: archive a session as it was seen, or take it out of the archive. */
export interface ArchiveChange {
  readonly session: string;
  readonly archived: boolean;
  /** When the session last changed, as the user saw it. */
  readonly seen: number;
}

/** Changes whenever the archive does; empty without one. Costs one `stat`. */
export function archiveVersion(home: string): string {
  const stats = statSync(fileOf(home), { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "";
}

/** The decisions of the user. Damaged entries are skipped. */
export function readArchive(home: string): Archive {
  const file = fileOf(home);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw fileFailure("Reading the archive", file, error);
  }
  return parse(text) ?? new Map();
}

/** Undefined if the text is not an archive. */
function parse(text: string): Archive | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const sessions = isRecord(read) ? read.sessions : undefined;
    if (!isRecord(sessions)) return undefined;
    return new Map(
      Object.entries(sessions).flatMap(([session, value]) => {
        const entry = entryOf(value);
        return entry ? [[session, entry]] : [];
      }),
    );
  } catch {
    return undefined;
  }
}

function entryOf(value: unknown): ArchiveEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { at, seen, kept } = value;
  if (typeof at !== "number" || typeof seen !== "number") return undefined;
  return { at, seen, ...(kept === true && { kept }) };
}

/** Records decisions durably. Concurrent writers wait for each other. */
export async function changeArchive(
  home: string,
  changes: readonly ArchiveChange[],
  at: number,
): Promise<void> {
  const file = fileOf(home);
  try {
    ensureDirectory(dirname(file));
    const release = await takeLock(`${file}.lock`, { limitMs: LOCK_LIMIT });
    if (!release)
      throw new WaymarkError(
        "archive_busy",
        `Another process has locked ${file}, so nothing was changed. Try again.`,
      );
    try {
      const next = new Map(readArchive(home));
      for (const { session, archived, seen } of changes) {
        // Added last, so that the oldest decisions come first.
        next.delete(session);
        next.set(session, archived ? { at, seen } : { at, seen, kept: true });
      }
      const sessions = Object.fromEntries([...next].slice(-MAX_ENTRIES));
      replaceFile(file, `${JSON.stringify({ version: VERSION, sessions })}\n`);
      syncDirectory(home);
    } finally {
      release();
    }
  } catch (error) {
    throw fileFailure("Changing the archive", file, error);
  }
}
