import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Dialect, Machine, Place, Source } from "../../agents/agent.ts";
import { isAlive } from "../../engines/storage/alive.ts";

/** A file that holds, or may hold, what an agent wrote. */
export interface FoundSource extends Omit<Source, "kind" | "path"> {
  readonly dialect: string;
  readonly kind: Place["kind"];
  readonly path: string;
  /** The directory that the session belongs to, where the place tells. */
  readonly cwd?: string;
  /** Read together with the other documents of its session. */
  readonly together?: true;
  /** Of a database together with its log. */
  readonly size: number;
  readonly mtime: number;
}

/** What is known of a file goes by this: files of one list come and go, the list stays. */
export function keyOf({ together, dialect, session, agent, path }: FoundSource): string {
  return together ? JSON.stringify([dialect, session, agent]) : path;
}

/** A place that could not be looked into. */
export interface Unreadable {
  readonly dialect: string;
  readonly path: string;
  readonly reason: string;
}

/** A folder that was looked for. */
export interface Root {
  readonly dialect: string;
  readonly root: string;
  readonly there: boolean;
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

/** Every file of every agent on the machine, without configuration. */
export function discover(dialects: readonly Dialect[], machine: Machine): Discovered {
  const sources: FoundSource[] = [];
  const unreadable: Unreadable[] = [];
  const roots = new Map<string, Root>();
  const folders = new Set<string>();
  for (const { id: dialect, places } of dialects) {
    for (const place of places?.(machine) ?? []) {
      const walk = walker(dialect, place, machine, { sources, unreadable, folders });
      const there = walk();
      roots.set(`${dialect} ${place.root}`, { dialect, root: place.root, there });
    }
  }
  sources.sort((a, b) => b.mtime - a.mtime || (a.path < b.path ? -1 : 1));
  return { sources, unreadable, roots: [...roots.values()], folders: [...folders] };
}

/** What is there of one file now; nothing where it is gone, is no file any more or cannot be seen. */
export function lookAgain(source: FoundSource): FoundSource | undefined {
  try {
    const looks = looksOf(source.path, source.kind);
    return looks && { ...source, ...looks };
  } catch {
    // Whoever may not enter its folder any more: the next discovery says so.
    return undefined;
  }
}

function looksOf(path: string, kind: Place["kind"]) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) return undefined;
  // What a program writes to its database stands in the log first.
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
  place: Place,
  machine: Machine,
  { sources, unreadable, folders }: Collected,
) {
  const cwdOf = directoriesOf(place);
  // Every part is a plain name: to put them together properly would cost more than to look.
  const sign = machine.platform === "win32" ? "\\" : "/";
  /** Where the walk is, below the root; for as long as it is there. */
  const path: string[] = [];
  /** Notes once that a folder is there and closed; one that is gone is no problem. */
  const noteClosed = (folder: string, error: unknown): boolean => {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    if (!unreadable.some((known) => known.path === folder && known.dialect === dialect))
      unreadable.push({ dialect, path: folder, reason: code || message });
    return true;
  };
  const walk = (folder: string): boolean => {
    let names: ReturnType<typeof entriesOf>;
    try {
      // Most places are not there, and an error costs far more than a look.
      if (path.length === 0 && !lstatSync(folder, { throwIfNoEntry: false })) return false;
      names = entriesOf(folder);
    } catch (error) {
      return noteClosed(folder, error);
    }
    folders.add(folder);
    for (const entry of names) {
      path.push(entry.name);
      const file = folder + sign + entry.name;
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
    const looks = accepted && looksIn(folder, file);
    if (!looks) return undefined;
    const { size, mtime } = looks;
    const source = { ...accepted, dialect, kind: place.kind, path: file, size, mtime };
    const cwd = cwdOf(path);
    return cwd === undefined && !place.together
      ? source
      : { ...source, ...(cwd !== undefined && { cwd }), ...(place.together && { together: true }) };
  };
  /** A folder may tell the names of its files and nothing else. */
  const looksIn = (folder: string, file: string) => {
    try {
      return looksOf(file, place.kind);
    } catch (error) {
      noteClosed(folder, error);
      return undefined;
    }
  };
  return () => walk(place.root);
}

const MAX_DIRECTORIES = 8 * 1024 * 1024;

/** Looked up when the first session asks. */
function directoriesOf({ directories }: Place): (path: readonly string[]) => string | undefined {
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
    // Without it the sessions are there all the same, only nobody knows where.
    return undefined;
  }
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
