import {
  type Archive,
  type ArchiveEntry,
  archiveAfter,
  archivedOf,
  withArchive,
} from "../core/archive.ts";
import { isRecord } from "../core/values.ts";
import type { MergedTrack } from "../core/views/merged.ts";
import { userFile } from "./user-file.ts";

/** Beyond that, the oldest decisions are forgotten: their sessions are shown again. */
const MAX_ENTRIES = 20_000;

const FILE = userFile<Archive>({
  name: "archive.json",
  what: "the archive",
  parse: ({ sessions }) =>
    new Map(
      Object.entries(isRecord(sessions) ? sessions : {}).flatMap(([session, value]) => {
        const entry = entryOf(value);
        return entry ? [[session, entry]] : [];
      }),
    ),
  print: (archive) => ({ sessions: Object.fromEntries([...archive].slice(-MAX_ENTRIES)) }),
});

function entryOf(value: unknown): ArchiveEntry | undefined {
  if (!isRecord(value)) return undefined;
  const { at, seen, kept } = value;
  if (typeof at !== "number" || typeof seen !== "number") return undefined;
  return { at, seen, ...(kept === true && { kept }) };
}

/** The decisions of the user. */
export const readArchive = FILE.read;
export const watchArchive = FILE.watch;

/** One decision of the user: archive a session as it was seen, or take it out of the archive. */
export interface ArchiveChange {
  readonly session: string;
  readonly archived: boolean;
  /** When the session last changed, as the user saw it. */
  readonly seen: number;
}

export function changeArchive(
  home: string,
  changes: readonly ArchiveChange[],
  at: number,
): Promise<void> {
  return FILE.change(home, (archive) => {
    const next = new Map(archive);
    for (const { session, archived, seen } of changes) {
      // Added last, so that the oldest decisions come first.
      next.delete(session);
      next.set(session, archived ? { at, seen } : { at, seen, kept: true });
    }
    return next;
  });
}

/** Marks archived sessions when tracks are read. */
export interface ArchiveOverlay {
  add<T extends MergedTrack>(tracks: readonly T[], now: number): readonly T[];
  /** Whether the user archived a session that last changed at `latest`. */
  has(session: string, latest: number): boolean;
}

export function openArchive(home: string, env: NodeJS.ProcessEnv): ArchiveOverlay {
  const after = archiveAfter(env);
  const archive = FILE.reader(home);
  return {
    add: (tracks, now) => withArchive(tracks, archive(), { now, after }),
    has: (session, latest) =>
      archivedOf(archive().get(session), latest, false, { now: latest }) !== undefined,
  };
}
