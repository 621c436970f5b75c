import type { Live } from "../core/live.ts";
import type { Dialect, Machine } from "../dialects/dialect.ts";
import { discover, type FoundSource, type Unreadable } from "./discover.ts";
import type { Index } from "./index-file.ts";
import { type Indexed, type ReadOptions, readDocuments, readSource } from "./source.ts";

/** An agent of this machine, as its own files tell of it. */
export interface ForeignTrack {
  readonly live: Live;
  readonly path: string;
  readonly updatedAt: number;
}

export interface Snapshot {
  /** Newest first. */
  readonly tracks: readonly ForeignTrack[];
  readonly unreadable: readonly Unreadable[];
  readonly roots: readonly { readonly dialect: string; readonly root: string }[];
  readonly files: number;
  /** Something was read: the index is worth keeping. */
  readonly changed: boolean;
}

export interface SessionsOptions extends ReadOptions {
  /** Reads what a database holds; without it databases are left out. */
  readonly readDatabase?: (found: FoundSource, dialect: Dialect) => Indexed | undefined;
  /** After each file, newest first: how many of how many, and what is known by then. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Only sessions of files changed since. */
  readonly since?: number;
}

/** Brings the index up to date with the machine and says what there is. */
export function readSessions(
  dialects: readonly Dialect[],
  machine: Machine,
  index: Index,
  options: SessionsOptions,
): Snapshot {
  const { sources, unreadable, roots } = discover(dialects, machine);
  const byId = new Map(dialects.map((dialect) => [dialect.id, dialect]));
  const problems: Unreadable[] = [...unreadable];
  const units = unitsOf(sources).filter(([first]) => first.mtime >= (options.since ?? 0));
  const seen = new Set<string>();
  const found: { readonly source: FoundSource; readonly entry: Indexed }[] = [];
  let changed = false;
  units.forEach((unit, place) => {
    const [source] = unit;
    const dialect = byId.get(source.dialect);
    const entry = dialect && readUnit(unit, index.get(source.path), dialect, options);
    if (entry) {
      seen.add(source.path);
      changed ||= index.get(source.path) !== entry;
      index.set(source.path, entry);
      found.push({ source, entry });
      if (entry.problem !== undefined)
        problems.push({ dialect: source.dialect, path: source.path, reason: entry.problem });
    }
    options.onProgress?.(place + 1, units.length);
  });
  if (options.since === undefined) {
    for (const path of index.keys()) {
      if (seen.has(path)) continue;
      index.delete(path);
      changed = true;
    }
  }
  return { tracks: merge(found), unreadable: problems, roots, files: sources.length, changed };
}

type Unit = readonly [FoundSource, ...FoundSource[]];

/** A session file stands for itself; the documents of one list belong together. */
function unitsOf(sources: readonly FoundSource[]): readonly Unit[] {
  const units: [FoundSource, ...FoundSource[]][] = [];
  const groups = new Map<string, [FoundSource, ...FoundSource[]]>();
  for (const source of sources) {
    const key = `${source.dialect}\0${source.session}\0${source.agent}`;
    const group = source.kind === "document" ? groups.get(key) : undefined;
    if (group) group.push(source);
    else {
      const unit: [FoundSource, ...FoundSource[]] = [source];
      units.push(unit);
      if (source.kind === "document") groups.set(key, unit);
    }
  }
  for (const unit of groups.values()) unit.sort((a, b) => (a.path < b.path ? -1 : 1));
  return units;
}

function readUnit(
  unit: Unit,
  known: Indexed | undefined,
  dialect: Dialect,
  options: SessionsOptions,
): Indexed | undefined {
  const [source] = unit;
  if (source.kind === "sqlite") return options.readDatabase?.(source, dialect);
  if (source.kind === "document") return readDocuments(unit, known, dialect, options);
  return readSource(source, known, dialect, options);
}

/** One track per agent and session. The transcript knows more; a document may know the list. */
function merge(
  found: readonly { readonly source: FoundSource; readonly entry: Indexed }[],
): readonly ForeignTrack[] {
  const tracks = new Map<string, ForeignTrack & { readonly document: boolean }>();
  for (const { source, entry } of found) {
    for (const live of Object.values(entry.lives)) {
      const key = `${live.agentType}\0${live.session}\0${live.agent}`;
      const other = tracks.get(key);
      const document = source.kind === "document";
      const mine = {
        live,
        path: source.path,
        updatedAt: Math.max(live.activity.lastAt, live.track.updatedAt) || source.mtime,
        document,
      };
      if (!other) tracks.set(key, mine);
      else if (document !== other.document) {
        const [file, list] = document ? [other, mine] : [mine, other];
        tracks.set(key, file.live.track.version > 0 ? file : withList(file, list));
      } else if (mine.updatedAt > other.updatedAt) tracks.set(key, mine);
    }
  }
  return [...tracks.values()]
    .map(({ document: _, ...track }) => track)
    .sort((a, b) => b.updatedAt - a.updatedAt);
}

function withList<T extends ForeignTrack>(file: T, list: ForeignTrack): T {
  const { cwd, title, parentAgent, agentType } = file.live.track;
  const track = {
    ...list.live.track,
    ...(cwd !== undefined && { cwd }),
    ...(title !== undefined && { title }),
    ...(parentAgent !== undefined && { parentAgent }),
    ...(agentType !== undefined && { agentType }),
  };
  return { ...file, live: { ...file.live, track } };
}
