import { type Archive, archiveAfter, archivedOf, withArchive } from "../../core/archive.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { archiveVersion, readArchive } from "./file.ts";

/** Marks archived sessions when tracks are read. */
export interface ArchiveOverlay {
  add<T extends MergedTrack>(tracks: readonly T[], now: number): readonly T[];
  /** Whether the user archived a session that last changed at `latest`. */
  has(session: string, latest: number): boolean;
}

/** Costs one `stat` while nothing changes. */
export function openArchive(home: string, env: NodeJS.ProcessEnv): ArchiveOverlay {
  const after = archiveAfter(env);
  let version: string | undefined;
  let archive: Archive = new Map();
  const current = (): Archive => {
    const now = archiveVersion(home);
    if (now !== version) {
      archive = readArchive(home);
      version = now;
    }
    return archive;
  };
  return {
    add: (tracks, now) => withArchive(tracks, current(), { now, after }),
    has: (session, latest) =>
      archivedOf(current().get(session), latest, false, { now: latest }) !== undefined,
  };
}

const POLL_EVERY = 500;

/** Calls back when the archive changed, in any process. Returns the function that stops it. */
export function watchArchive(home: string, onChange: () => void): () => void {
  let known = archiveVersion(home);
  const timer = setInterval(() => {
    const now = archiveVersion(home);
    if (now === known) return;
    known = now;
    onChange();
  }, POLL_EVERY);
  timer.unref();
  return () => clearInterval(timer);
}
