import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { takeLock } from "../../checks/file-lock.ts";
import { isExpired, MUTE_KINDS, type Mute, type MuteKind } from "../../core/activity/mute.ts";
import { WaymarkError } from "../../core/error.ts";
import { isRecord } from "../../core/values.ts";
import { fileFailure } from "../../engines/storage/failure.ts";
import { ensureDirectory, replaceFile, syncDirectory } from "../../engines/storage/files.ts";

const FILE = "mutes.json";
const VERSION = 1;
const LOCK_LIMIT = 10_000;
/** Beyond that, the oldest are forgotten: their findings are shown again. */
const MAX_MUTES = 2_000;

function fileOf(home: string): string {
  return join(home, FILE);
}

/** Changes whenever a mute does; empty without any. Costs one `stat`. */
export function mutesVersion(home: string): string {
  const stats = statSync(fileOf(home), { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "";
}

/** The mutes of the user, oldest first. Damaged entries are skipped. */
export function readMutes(home: string): readonly Mute[] {
  const file = fileOf(home);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw fileFailure("Reading mutes", file, error);
  }
  try {
    const read: unknown = JSON.parse(text);
    const mutes = isRecord(read) && Array.isArray(read.mutes) ? read.mutes : [];
    return mutes.flatMap((each: unknown) => muteOf(each) ?? []);
  } catch {
    // Without a valid file, every finding is shown.
    return [];
  }
}

function muteOf(value: unknown): Mute | undefined {
  if (!isRecord(value)) return undefined;
  const { session, kind, at, until, seen } = value;
  if (typeof session !== "string" || typeof at !== "number") return undefined;
  if (!MUTE_KINDS.includes(kind as MuteKind)) return undefined;
  if (until !== undefined && typeof until !== "number") return undefined;
  const isSeen = isRecord(seen) && Object.values(seen).every((key) => typeof key === "string");
  if (seen !== undefined && !isSeen) return undefined;
  return {
    session,
    kind: kind as MuteKind,
    at,
    ...(until !== undefined && { until }),
    ...(isSeen && { seen: seen as Record<string, string> }),
  };
}

/** Adds or removes mutes of one session. */
export interface MuteChange {
  readonly session: string;
  readonly kinds: readonly MuteKind[];
  /** The mutes to add for these kinds; without them, the kinds are shown again. */
  readonly mutes?: readonly Mute[];
}

/** Records a decision durably. Concurrent writers wait for each other. */
export async function changeMutes(
  home: string,
  { session, kinds, mutes = [] }: MuteChange,
  now: number,
): Promise<void> {
  const file = fileOf(home);
  try {
    ensureDirectory(dirname(file));
    const release = await takeLock(`${file}.lock`, { limitMs: LOCK_LIMIT });
    if (!release)
      throw new WaymarkError(
        "mutes_busy",
        `Another process has locked ${file}, so nothing was changed. Try again.`,
      );
    try {
      const others = readMutes(home).filter(
        (each) => !isExpired(each, now) && !(each.session === session && kinds.includes(each.kind)),
      );
      const next = [...others, ...mutes].slice(-MAX_MUTES);
      replaceFile(file, `${JSON.stringify({ version: VERSION, mutes: next })}\n`);
      syncDirectory(home);
    } finally {
      release();
    }
  } catch (error) {
    throw fileFailure("Changing mutes", file, error);
  }
}
