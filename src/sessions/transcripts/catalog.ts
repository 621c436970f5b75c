import { withOtherUsage } from "../../core/activity/usage.ts";
import { withProcessStatus } from "../../core/activity/waiting.ts";
import type { LiveTrack } from "../../core/stream/fold.ts";
import { MAIN_AGENT, trackKey } from "../../core/text/ids.ts";
import { parentKey } from "../../core/views/merged.ts";
import { type FoundSource, keyOf } from "./discover.ts";
import { hasActivity, type Indexed, type Mention } from "./fold.ts";
import { hasOnlyList, withDatabase, withDocument } from "./shared-list.ts";

/** An agent of this machine, from its own files. */
export interface ExternalTrack {
  readonly live: LiveTrack;
  readonly updatedAt: number;
  /** Its files, grouped by unit, the most complete first. */
  readonly units: readonly [Unit, ...Unit[]];
}

/** Files that are read together: a single session file, or all documents of one list. */
export type Unit = readonly [FoundSource, ...FoundSource[]];

/** All agents of all files. Adding a file costs in proportion to the agents that it mentions. */
export interface Catalog {
  /** Replaces the earlier content of a file. Returns the keys of the agents that it mentions. */
  put(unit: Unit, entry: Indexed): readonly string[];
  remove(unitKey: string): void;
  track(key: string): ExternalTrack | undefined;
  /** Newest first; of these sessions, or of all. */
  tracks(sessions?: ReadonlySet<string>): readonly ExternalTrack[];
  /**
   * For each session, an upper bound for the time of the last activity of its main agents. Reads only
   * mentions, not the tracks.
   */
  latest(): ReadonlyMap<string, number>;
}

/** One agent as one file mentions it. */
interface Mentioned {
  readonly unit: Unit;
  readonly entry: Indexed;
  readonly mention: Mention;
}

interface Part {
  readonly unit: Unit;
  readonly live: LiveTrack;
}

/** The key of an agent of a session, by agent type. */
export function catalogKey(agentType: string, session: string, agent: string): string {
  return `${agentType} ${trackKey({ session, agent })}`;
}

export function createCatalog(): Catalog {
  const parts = new Map<string, Map<string, Mentioned>>();
  const keys = new Map<string, readonly string[]>();
  const combined = new Map<string, ExternalTrack>();
  let sorted: readonly ExternalTrack[] | undefined;

  const forget = (key: string): void => {
    combined.delete(key);
    sorted = undefined;
  };
  const remove = (unitKey: string): void => {
    for (const key of keys.get(unitKey) ?? []) {
      forget(key);
      const known = parts.get(key);
      known?.delete(unitKey);
      if (known?.size === 0) parts.delete(key);
    }
    keys.delete(unitKey);
  };
  const track = (key: string): ExternalTrack | undefined => {
    const known = combined.get(key);
    if (known) return known;
    const track = combine([...(parts.get(key)?.values() ?? [])].flatMap(partOf));
    if (track) combined.set(key, track);
    return track;
  };

  const isOf = (key: string, sessions: ReadonlySet<string>): boolean => {
    const [mentioned] = parts.get(key)?.values() ?? [];
    return mentioned !== undefined && sessions.has(mentioned.mention.session);
  };
  /** Whether every file that mentions the agent names a known parent. */
  const isSubagent = (all: ReadonlyMap<string, Mentioned>): boolean => {
    for (const { mention } of all.values()) {
      if (mention.parentAgent === undefined) return false;
      const known = { has: (key: string) => parts.has(`${mention.agentType} ${key}`) };
      if (parentKey(mention, known) === undefined) return false;
    }
    return true;
  };
  const newestFirst = (wanted: readonly string[]): readonly ExternalTrack[] =>
    wanted.flatMap((key) => track(key) ?? []).sort((a, b) => b.updatedAt - a.updatedAt);

  return {
    put(unit, entry) {
      const unitKey = keyOf(unit[0]);
      remove(unitKey);
      const mentioned = entry.mentions.map((mention) => {
        const key = catalogKey(mention.agentType, mention.session, mention.agent);
        const known = parts.get(key) ?? new Map<string, Mentioned>();
        known.set(unitKey, { unit, entry, mention });
        parts.set(key, known);
        forget(key);
        return key;
      });
      keys.set(unitKey, mentioned);
      return mentioned;
    },
    remove,
    track,
    tracks(sessions) {
      if (sessions) return newestFirst([...parts.keys()].filter((key) => isOf(key, sessions)));
      sorted ??= newestFirst([...parts.keys()]);
      return sorted;
    },
    latest() {
      const found = new Map<string, number>();
      for (const mentioned of parts.values()) {
        if (isSubagent(mentioned)) continue;
        for (const { unit, mention } of mentioned.values()) {
          const at = mention.latest || Math.round(unit[0].mtime);
          found.set(mention.session, Math.max(found.get(mention.session) ?? at, at));
        }
      }
      return found;
    },
  };
}

function partOf({ unit, entry, mention: { session, agent } }: Mentioned): readonly Part[] {
  const live = entry.lives[trackKey({ session, agent })];
  return live ? [{ unit, live }] : [];
}

/**
 * Combines the files of an agent. A transcript has more than a document, and the agent's own file more
 * than one that only mentions it; the others add what the first does not have.
 */
function combine(parts: readonly Part[]): ExternalTrack | undefined {
  const [first, ...others] = parts.toSorted(
    (a, b) =>
      Number(isDocument(a)) - Number(isDocument(b)) ||
      Number(isOwn(b)) - Number(isOwn(a)) ||
      Number(b.live.track.version > 0) - Number(a.live.track.version > 0) ||
      b.live.activity.lastAt - a.live.activity.lastAt,
  );
  // Some requests have files of their own: usage alone does not make an agent.
  if (!first || !hasActivity(first.live)) return undefined;
  const merged = others.reduce((live, other) => withMore(live, other), first.live);
  const document = others.find((part) => isDocument(part) && part.live.track.version > 0);
  const complete = document?.unit[0].kind === "sqlite" ? withDatabase : withDocument;
  const known = document && !isDocument(first) ? complete(merged, document.live.track) : merged;
  const { cwd } = first.unit[0];
  const live =
    cwd === undefined || known.track.cwd !== undefined
      ? known
      : { ...known, track: { ...known.track, cwd } };
  return {
    live,
    updatedAt:
      Math.max(live.activity.lastAt, live.track.updatedAt) || Math.round(first.unit[0].mtime),
    units: [first.unit, ...others.map(({ unit }) => unit)],
  };
}

const isDocument = ({ unit }: Part) => hasOnlyList(unit[0]);
const isOwn = ({ unit, live }: Part) => (unit[0].agent ?? MAIN_AGENT) === live.agent;

function withMore(known: LiveTrack, part: Part): LiveTrack {
  const { live: other } = part;
  const list = known.track.version > 0 ? known.track : other.track;
  const { cwd = other.track.cwd, title = other.track.title } = known.track;
  const { parentAgent = other.track.parentAgent } = known.track;
  const { name = other.name, model = other.model, version = other.version } = known;
  const { prompt = other.prompt } = known;
  const plan = known.plan ?? other.plan;
  const usage = withOtherUsage(known.usage, other.usage, isOwn(part));
  return {
    ...known,
    activity: withProcessStatus(known.activity, other.activity),
    track: {
      ...list,
      mode: known.track.mode,
      openedAt: known.track.openedAt || list.openedAt,
      ...(cwd !== undefined && { cwd }),
      ...(title !== undefined && { title }),
      ...(parentAgent !== undefined && { parentAgent }),
    },
    skipped: summed(known.skipped, other.skipped),
    ...(name !== undefined && { name }),
    ...(prompt !== undefined && { prompt }),
    ...(model !== undefined && { model }),
    ...(version !== undefined && { version }),
    ...(plan && { plan }),
    ...(usage && { usage }),
  };
}

export function summed(a: LiveTrack["skipped"], b: LiveTrack["skipped"]): LiveTrack["skipped"] {
  const sum = { ...a };
  for (const [code, count] of Object.entries(b) as [keyof typeof b, number][])
    sum[code] = (sum[code] ?? 0) + count;
  return sum;
}
