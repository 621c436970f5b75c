import { lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Dialect, Machine, Place, Source } from "../dialects/dialect.ts";

/** A file that holds, or may hold, what an agent wrote. */
export interface FoundSource extends Omit<Source, "kind" | "path"> {
  readonly dialect: string;
  readonly kind: Place["kind"];
  readonly path: string;
  /** Read together with the other documents of its session. */
  readonly together?: true;
  /** Of a database together with its log. */
  readonly size: number;
  readonly mtime: number;
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
      const there = walk([]);
      roots.set(`${dialect} ${place.root}`, { dialect, root: place.root, there });
    }
  }
  sources.sort((a, b) => b.mtime - a.mtime || (a.path < b.path ? -1 : 1));
  return { sources, unreadable, roots: [...roots.values()], folders: [...folders] };
}

/** What is there of one file now; nothing where it is gone or is no file any more. */
export function lookAgain(source: FoundSource): FoundSource | undefined {
  const looks = looksOf(source.path, source.kind);
  return looks && { ...source, ...looks };
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
  const walk = (path: readonly string[]): boolean => {
    const folder = path.length === 0 ? place.root : machine.join(place.root, ...path);
    let names: ReturnType<typeof entriesOf>;
    try {
      names = entriesOf(folder);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR")
        unreadable.push({ dialect, path: folder, reason: code || message });
      return code !== "ENOENT" && code !== "ENOTDIR";
    }
    folders.add(folder);
    for (const entry of names) {
      const below = [...path, entry.name];
      if (entry.isDirectory()) {
        if (path.length < place.depth) walk(below);
        continue;
      }
      const accepted = entry.isFile() ? place.accept(below) : undefined;
      if (!accepted) continue;
      const file = machine.join(folder, entry.name);
      const looks = looksOf(file, place.kind);
      if (looks)
        sources.push({
          ...accepted,
          ...(place.together && { together: true }),
          dialect,
          kind: place.kind,
          path: file,
          ...looks,
        });
    }
    return true;
  };
  return walk;
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
