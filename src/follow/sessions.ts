import type { Dialect } from "../dialects/dialect.ts";
import type { Driver } from "../sqlite/driver.ts";
import { type DatabaseOptions, readDatabase } from "./database.ts";
import type { Discovered, FoundSource, Unreadable } from "./discover.ts";
import { readDocuments } from "./documents.ts";
import type { Indexed } from "./fold.ts";
import type { Index } from "./index-file.ts";
import { newRoster, type Roster, type Unit } from "./roster.ts";
import { readSource } from "./source.ts";

export interface Snapshot {
  readonly roster: Roster;
  /** Places and files that could not be read. */
  readonly unreadable: readonly Unreadable[];
  /** Something was read: the index is worth keeping. */
  readonly changed: boolean;
}

export interface SessionsOptions extends DatabaseOptions {
  /** Opens databases; without it they are left out. */
  readonly driver?: Driver | undefined;
  /** After each file, newest first: how many of how many. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Brings the index up to date with the machine and says what there is. */
export function readSessions(
  dialects: readonly Dialect[],
  { sources, unreadable }: Pick<Discovered, "sources" | "unreadable">,
  index: Index,
  options: SessionsOptions = {},
): Snapshot {
  const byId = new Map(dialects.map((dialect) => [dialect.id, dialect]));
  const problems: Unreadable[] = [...unreadable];
  const roster = newRoster();
  const units = unitsOf(sources);
  const seen = new Set<string>();
  let changed = false;
  units.forEach((unit, place) => {
    const [source] = unit;
    const dialect = byId.get(source.dialect);
    const entry = dialect && readUnit(unit, index.get(source.path), dialect, options);
    if (entry) {
      seen.add(source.path);
      changed ||= index.get(source.path) !== entry;
      index.set(source.path, entry);
      roster.put(unit, entry);
      if (entry.problem !== undefined)
        problems.push({ dialect: source.dialect, path: source.path, reason: entry.problem });
    }
    options.onProgress?.(place + 1, units.length);
  });
  for (const path of index.keys()) {
    if (seen.has(path)) continue;
    index.delete(path);
    changed = true;
  }
  return { roster, unreadable: problems, changed };
}

/** Newest first, as the sources are. */
export function unitsOf(sources: readonly FoundSource[]): readonly Unit[] {
  const units: [FoundSource, ...FoundSource[]][] = [];
  const groups = new Map<string, [FoundSource, ...FoundSource[]]>();
  for (const source of sources) {
    const key = source.together && JSON.stringify([source.dialect, source.session, source.agent]);
    const group = key && groups.get(key);
    if (group) group.push(source);
    else {
      const unit: [FoundSource, ...FoundSource[]] = [source];
      units.push(unit);
      if (key) groups.set(key, unit);
    }
  }
  for (const unit of groups.values()) unit.sort((a, b) => (a.path < b.path ? -1 : 1));
  return units;
}

export function readUnit(
  unit: Unit,
  known: Indexed | undefined,
  dialect: Dialect,
  options: SessionsOptions,
): Indexed | undefined {
  const [source] = unit;
  if (source.kind === "sqlite")
    return options.driver && readDatabase(source, known, dialect, options.driver, options);
  if (source.kind === "document") return readDocuments(unit, known, dialect, options);
  return readSource(source, known, dialect, options);
}
