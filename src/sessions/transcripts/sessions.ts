import type { Decoder } from "../../agents/agent.ts";
import { type Catalog, createCatalog, type Unit } from "./catalog.ts";
import { type Discovered, type FoundSource, keyOf, type Unreadable } from "./discover.ts";
import type { Index } from "./index-file.ts";
import { type ReadingOptions, readUnits } from "./read-units.ts";

export interface Snapshot {
  readonly roster: Catalog;
  /** Folders and files that could not be read. */
  readonly unreadable: readonly Unreadable[];
  /** Whether the index changed and should be saved. */
  readonly changed: boolean;
}

export interface SessionsOptions extends ReadingOptions {
  /** Called after each file, newest first, with what is known by then. */
  readonly onProgress?: (done: number, total: number, roster: Catalog) => void;
}

/** Updates the index and returns all sessions of the machine. */
export async function readSessions(
  dialects: readonly Decoder[],
  { sources, unreadable }: Pick<Discovered, "sources" | "unreadable">,
  index: Index,
  options: SessionsOptions = {},
): Promise<Snapshot> {
  const byId = new Map(dialects.map((dialect) => [dialect.id, dialect]));
  const problems: Unreadable[] = [...unreadable];
  const roster = createCatalog();
  const units = unitsOf(sources);
  const seen = new Set<string>();
  let changed = false;
  let done = 0;
  await readUnits(units, index, byId, options, (unit, entry) => {
    const [source] = unit;
    if (entry) {
      seen.add(entry.key);
      changed ||= index.get(entry.key) !== entry;
      index.set(entry.key, entry);
      roster.put(unit, entry);
      if (entry.problem !== undefined)
        problems.push({ dialect: source.dialect, path: source.path, reason: entry.problem });
    }
    options.onProgress?.(++done, units.length, roster);
  });
  for (const key of index.keys()) {
    if (seen.has(key)) continue;
    index.delete(key);
    changed = true;
  }
  return { roster, unreadable: problems, changed };
}

/** Groups sources into units, in the order of the sources (newest first). */
export function unitsOf(sources: readonly FoundSource[]): readonly Unit[] {
  const units: [FoundSource, ...FoundSource[]][] = [];
  const groups = new Map<string, [FoundSource, ...FoundSource[]]>();
  for (const source of sources) {
    const group = source.together && groups.get(keyOf(source));
    if (group) group.push(source);
    else {
      const unit: [FoundSource, ...FoundSource[]] = [source];
      units.push(unit);
      if (source.together) groups.set(keyOf(source), unit);
    }
  }
  for (const unit of groups.values()) unit.sort((a, b) => (a.path < b.path ? -1 : 1));
  return units;
}
