import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import {
  type ChangedFile,
  type ChangedFiles,
  changedFiles,
  type FileLines,
} from "../../core/files/changed-files.ts";
import { fileEditsOf } from "../../core/files/file-edits.ts";
import { absolutePath } from "../../core/files/paths.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { lineCounts } from "../../git/line-counts.ts";
import { type Repository, repositoryOf } from "../../git/repository.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { ReadList } from "../../sessions/read-list.ts";

const MAX_OTHERS = 100;

/**
 * The files that an agent edited, with the figures of git for those in the repository of its directory. Git never
 * runs for sessions of other machines: their directories are not here.
 */
export async function readChangedFiles(
  found: AnyTrack,
  list: ReadList,
  hasGit = true,
): Promise<ChangedFiles> {
  const { track, machine } = found;
  const events = await list.events();
  const edits = (await list.readInFull?.())?.edits ?? fileEditsOf(events, track.cwd);
  const changed = changedFiles(edits, events, track.cwd);
  if (!hasGit || machine !== undefined || track.cwd === undefined) return changed;
  try {
    const repository = await repositoryOf(track.cwd);
    // Without a start, only uncommitted changes count.
    const time = track.openedAt > 0 ? track.openedAt : Date.now();
    return repository ? await withLines(changed, repository, track.cwd, time) : changed;
  } catch (error) {
    return { ...changed, problem: redactedMessage(error) };
  }
}

async function withLines(
  changed: ChangedFiles,
  repository: Repository,
  cwd: string,
  time: number,
): Promise<ChangedFiles> {
  const { since, files: counted } = await lineCounts(repository, time);
  const pathOf = pathsIn(repository, cwd);
  const known = new Set<string>();
  const files = changed.files.map((file): ChangedFile => {
    const path = pathOf(file.path);
    if (path === undefined) return file;
    known.add(path);
    const lines = counted.get(path);
    return lines ? { ...file, lines } : file;
  });
  const others = [...counted].filter(([path]) => !known.has(path));
  return {
    ...changed,
    files,
    git: {
      since: since ?? null,
      others: others
        .slice(0, MAX_OTHERS)
        .map(([path, lines]: readonly [string, FileLines]) => ({ path, lines })),
      othersTotal: others.length,
    },
  };
}

/** Converts shown paths to paths in the repository; undefined for files outside of it. */
function pathsIn({ root }: Repository, cwd: string): (path: string) => string | undefined {
  const directory = realpathSync(cwd);
  return (path) => {
    // Relative paths lie in the directory, whose own path may lead through symlinks.
    const absolute = path.startsWith(sep) ? path : join(directory, path);
    const inside = relative(root, absolutePath(absolute));
    return inside === "" || inside.startsWith("..") ? undefined : inside.replaceAll(sep, "/");
  };
}
