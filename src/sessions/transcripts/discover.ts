import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Decoder, Machine, SessionLocation, Source } from "../../agents/agent.ts";
import { isAlive } from "../../engines/storage/is-alive.ts";

/** A file that may be a transcript of an agent. */
export interface FoundSource extends Omit<Source, "kind" | "path"> {
  readonly dialect: string;
  readonly kind: SessionLocation["kind"];
  readonly path: string;
  /** The working directory of the session, if its location reveals it. */
  readonly cwd?: string;
  /** Read together with the other documents of its session. */
  readonly together?: true;
  /** For a database, including its WAL. */
  readonly size: number;
  readonly mtime: number;
}

/** The index key of a file. The documents of one list share a key: they come and go, the list stays. */
export function keyOf({ together, dialect, session, agent, path }: FoundSource): string {
  return together ? JSON.stringify([dialect, session, agent]) : path;
}

/** A folder or file that could not be read. */
export interface Unreadable {
  readonly dialect: string;
  readonly path: string;
  readonly reason: string;
}

/** A folder in which an agent stores its files. */
export interface Root {
  readonly dialect: string;
  readonly root: string;
  readonly exists: boolean;
}

export interface Discovered {
  /** Newest first. */
  readonly sources: readonly FoundSource[];
  readonly unreadable: readonly Unreadable[];
  readonly roots: readonly Root[];
  /** Every folder in which a new file may appear. */
  readonly folders: readonly string[];
}

export function thisMachine(home = homedir(), env = process.env): Machine {
  const platform =
    process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux";
  return { home, platform, env, join: (platform === "win32" ? win32 : posix).join };
}

/** Finds every transcript of every agent on the machine, without configuration. */
export function discover(dialects: readonly Decoder[], machine: Machine): Discovered {
  const sources: FoundSource[] = [];
  const unreadable: Unreadable[] = [];
  const roots = new Map<string, Root>();
  const folders = new Set<string>();
  for (const { id: dialect, locations: places } of dialects) {
    for (const place of places?.(machine) ?? []) {
      const walk = walker(dialect, place, machine, { sources, unreadable, folders });
      const exists = walk();
      roots.set(`${dialect} ${place.root}`, { dialect, root: place.root, exists });
    }
  }
  sources.sort((a, b) => b.mtime - a.mtime || (a.path < b.path ? -1 : 1));
  return { sources, unreadable, roots: [...roots.values()], folders: [...folders] };
}

/** Updates size and mtime of a file; undefined if it was removed, is no longer a file, or is inaccessible. */
export function restat(source: FoundSource): FoundSource | undefined {
  try {
    const stats = statOf(source.path, source.kind);
    return stats && { ...source, ...stats };
  } catch {
    // Its folder is no longer accessible; the next discovery reports it.
    return undefined;
  }
}

function statOf(path: string, kind: SessionLocation["kind"]) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  // A program writes to the WAL of its database first.
  const log = kind === "sqlite" ? lstatSync(`${path}-wal`, { throwIfNoEntry: false }) : undefined;
  return {
    size: stat.size + (log?.size ?? 0),
    mtime: Math.max(stat.mtimeMs, log?.size ? log.mtimeMs : 0),
  };
}

interface Collected {
  readonly sources: FoundSource[];
  readonly unreadable: Unreadable[];
  readonly folders: Set<string>;
}

function walker(
  dialect: string,
  place: SessionLocation,
  machine: Machine,
  { sources, unreadable, folders }: Collected,
) {
  const cwdOf = directoriesOf(place);
  // Every part is a plain name: `path.join` would cost more than the file system calls.
  const separator = machine.platform === "win32" ? "\\" : "/";
  /** The current path below the root. Reused: `accept` must not keep it. */
  const path: string[] = [];
  /** Records an unreadable folder once. A missing one is not a problem. */
  const noteUnreadable = (folder: string, error: unknown): boolean => {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    if (!unreadable.some((known) => known.path === folder && known.dialect === dialect))
      unreadable.push({ dialect, path: folder, reason: code || message });
    return true;
  };
  const walk = (folder: string): boolean => {
    let names: ReturnType<typeof entriesOf>;
    try {
      // Most locations do not exist, and an exception costs far more than a check.
      if (path.length === 0 && !lstatSync(folder, { throwIfNoEntry: false })) return false;
      names = entriesOf(folder);
    } catch (error) {
      return noteUnreadable(folder, error);
    }
    folders.add(folder);
    for (const entry of names) {
      path.push(entry.name);
      const file = folder + separator + entry.name;
      if (!entry.isDirectory()) {
        const source = entry.isFile() ? sourceAt(file, folder) : undefined;
        if (source) sources.push(source);
      } else if (path.length <= place.depth) walk(file);
      path.pop();
    }
    return true;
  };
  const sourceAt = (file: string, folder: string): FoundSource | undefined => {
    const accepted = place.accept(path);
    const pid = accepted && place.process?.(path);
    if (pid !== undefined && !isAlive(pid)) return undefined;
    const stats = accepted && statIn(folder, file);
    if (!stats) return undefined;
    const { size, mtime } = stats;
    const source = { ...accepted, dialect, kind: place.kind, path: file, size, mtime };
    const cwd = cwdOf(path);
    return cwd === undefined && !place.together
      ? source
      : { ...source, ...(cwd !== undefined && { cwd }), ...(place.together && { together: true }) };
  };
  /** A folder may be readable while its files are not accessible. */
  const statIn = (folder: string, file: string) => {
    try {
      return statOf(file, place.kind);
    } catch (error) {
      noteUnreadable(folder, error);
      return undefined;
    }
  };
  return () => walk(place.root);
}

const MAX_DIRECTORIES = 8 * 1024 * 1024;

/** Reads the file of directories when the first session needs it. */
function directoriesOf({
  directories,
}: SessionLocation): (path: readonly string[]) => string | undefined {
  if (!directories) return () => undefined;
  let document: { readonly value: unknown } | undefined;
  return (path) => {
    document ??= { value: jsonOf(directories.file) };
    return directories.of(document.value, path);
  };
}

function jsonOf(file: string): unknown {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.size > MAX_DIRECTORIES) return undefined;
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Optional: without it, only the directories of the sessions are unknown.
    return undefined;
  }
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
