import type { Decoder, DecoderState } from "../../agents/agent.ts";
import { openReader, type Reader } from "../../agents/common/reader.ts";
import type { Event, Track } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { emptyLiveTrack, foldScanned, foldStream, type LiveTrack } from "../../core/stream/fold.ts";
import { trackKey } from "../../core/text/ids.ts";
import { type FoundSource, keyOf } from "./discover.ts";
import { type Mark, START } from "./scan/tail.ts";

/** An agent in a file, with just enough to find the recently active ones. */
export interface Mention {
  readonly session: string;
  readonly agent: string;
  readonly agentType: string;
  readonly parentAgent?: string;
  /** Time of the last event in the file; 0 if it has no times. */
  readonly latest: number;
}

/** The state of one file, or of a group that is read together: plain data, stored in the index. */
export interface Indexed {
  readonly key: string;
  readonly dialect: string;
  /** Size of the file when it was read; less if the read stopped before its end. */
  readonly size: number;
  readonly mtime: number;
  readonly mark: Mark;
  readonly state: DecoderState;
  readonly mentions: readonly Mention[];
  /** By session and agent. */
  readonly lives: Readonly<Record<string, LiveTrack>>;
  /** Why the file could not be read. */
  readonly problem?: string;
}

export interface ReadOptions {
  /** Called for each event; `before` is the list before it. */
  readonly onEvent?: (
    event: StreamEvent,
    live: LiveTrack,
    change: Event | undefined,
    before: Track,
  ) => void;
  /** Read every line, not only those that can change a list. */
  readonly whole?: boolean;
  /** How many bytes at the end of a long file are read line by line. */
  readonly tail?: number;
  /** How many bytes of a file are read at once; the next read continues from there. */
  readonly limit?: number;
  /** Deadline by the monotonic clock; at least one line is read. */
  readonly until?: number;
}

/** Folds the events of a reader into the tracks of their agents. */
export interface Fold {
  readonly reader: Reader;
  readonly lives: Record<string, LiveTrack>;
  apply(events: readonly StreamEvent[]): void;
  /** The same for a scan, which skips lines. */
  applyScanned(events: readonly StreamEvent[]): void;
  /** Starts the track of an agent with its known list. */
  adopt(event: StreamEvent, track: Track): void;
}

/**
 * Records without a time get the mtime of their file, so that reading the same file again gives the
 * same result.
 */
export function newFold(
  found: Pick<FoundSource, "kind" | "path" | "mtime" | "session" | "agent" | "parent">,
  dialect: Decoder,
  options: ReadOptions,
  known?: Pick<Indexed, "state" | "lives">,
): Fold {
  const lives: Record<string, LiveTrack> = { ...known?.lives };
  const { path, session, agent, parent } = found;
  const reader = openReader(
    dialect,
    {
      kind: found.kind === "sqlite" ? "document" : found.kind,
      path,
      ...(session !== undefined && { session }),
      ...(agent !== undefined && { agent }),
      ...(parent !== undefined && { parent }),
    },
    { now: () => Math.round(found.mtime), ...(known && { state: known.state }) },
  );
  // Consecutive events are mostly of the same agent.
  let last: LiveTrack | undefined;
  const liveOf = (event: StreamEvent): LiveTrack => {
    if (last?.session === event.sessionId && last.agent === event.agentId) return last;
    const key = trackKey({ session: event.sessionId, agent: event.agentId });
    last = lives[key] ?? emptyLiveTrack(event);
    lives[key] = last;
    return last;
  };
  const applyWith = (fold: typeof foldStream) => (events: readonly StreamEvent[]) => {
    for (const event of events) {
      const live = liveOf(event);
      const before = live.track;
      const change = fold(live, event);
      options.onEvent?.(event, live, change, before);
    }
  };
  const adopt = (event: StreamEvent, track: Track): void => {
    last = { ...emptyLiveTrack(event), track };
    lives[trackKey({ session: event.sessionId, agent: event.agentId })] = last;
  };
  return {
    reader,
    lives,
    apply: applyWith(foldStream),
    applyScanned: applyWith(foldScanned),
    adopt,
  };
}

export function indexed(found: FoundSource, { reader, lives }: Fold, mark: Mark): Indexed {
  const { size, mtime } = found;
  const { decoder: dialect, state } = reader;
  const mentions = mentionsOf(Object.values(lives));
  return { key: keyOf(found), dialect: dialect.id, size, mtime, mark, state, mentions, lives };
}

/** The session of files that do not name one; they are left out. */
const UNKNOWN_SESSION = "unknown";

function mentionsOf(lives: readonly LiveTrack[]): readonly Mention[] {
  return lives
    .filter((live) => live.session !== UNKNOWN_SESSION && (hasActivity(live) || live.usage))
    .map(({ session, agent, agentType, activity, track }) => ({
      session,
      agent,
      agentType,
      ...(track.parentAgent !== undefined && { parentAgent: track.parentAgent }),
      latest: Math.max(activity.lastAt, track.updatedAt),
    }));
}

/** Whether the agent did anything. */
export function hasActivity({ activity, track, plan }: LiveTrack): boolean {
  return activity.lastAt > 0 || track.version > 0 || plan !== undefined;
}

/** Keeps what was read; the file is read again the next time. */
export function failed(found: FoundSource, fold: Fold, problem: string): Indexed {
  return { ...indexed(found, fold, START), problem };
}

/** Whether the file has not changed since it was read. */
export function isCurrent(
  known: Indexed,
  { size, mtime }: Pick<FoundSource, "size" | "mtime">,
): boolean {
  return known.size === size && known.mtime === mtime && known.problem === undefined;
}
