import { lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import type { Dialect, Machine, Place, Source } from "../dialects/dialect.ts";

/** A file that holds, or may hold, what an agent wrote. */
export interface FoundSource extends Omit<Source, "kind" | "path"> {
  readonly dialect: string;
  readonly kind: Place["kind"];
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

/** A place that could not be looked into. */
export interface Unreadable {
  readonly dialect: string;
  readonly path: string;
  readonly reason: string;
}

export interface Discovered {
  /** Newest first. */
  readonly sources: readonly FoundSource[];
  readonly unreadable: readonly Unreadable[];
  /** The folders that exist, by dialect. */
  readonly roots: readonly { readonly dialect: string; readonly root: string }[];
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
  const roots: { dialect: string; root: string }[] = [];
  for (const dialect of dialects) {
    for (const place of dialect.places?.(machine) ?? []) {
      const walk = walker(dialect.id, place, machine, sources, unreadable);
      if (walk([])) roots.push({ dialect: dialect.id, root: place.root });
    }
  }
  sources.sort((a, b) => b.mtime - a.mtime);
  return { sources, unreadable, roots };
}

function walker(
  dialect: string,
  place: Place,
  machine: Machine,
  sources: FoundSource[],
  unreadable: Unreadable[],
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
      return false;
    }
    for (const entry of names) {
      const below = [...path, entry.name];
      if (entry.isDirectory()) {
        if (path.length < place.depth) walk(below);
        continue;
      }
      const accepted = entry.isFile() ? place.accept(below) : undefined;
      if (!accepted) continue;
      const file = machine.join(folder, entry.name);
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (!stat?.isFile()) continue;
      sources.push({
        ...accepted,
        dialect,
        kind: place.kind,
        path: file,
        size: stat.size,
        mtime: stat.mtimeMs,
      });
    }
    return true;
  };
  return walk;
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
