import type { Dialect, DialectState } from "../../agents/agent.ts";
import { openReader, type Reader } from "../../agents/common/reader.ts";
import type { Event, Track } from "../../core/model.ts";
import type { StreamEvent } from "../../core/stream/events.ts";
import { emptyLive, foldInPassing, foldStream, type Live } from "../../core/stream/fold.ts";
import { trackKey } from "../../core/text/ids.ts";
import { type FoundSource, keyOf } from "./discover.ts";
import { type Mark, START } from "./scan/tail.ts";

/** An agent that a file tells of, as far as it takes to find those that did something lately. */
export interface Mention {
  readonly session: string;
  readonly agent: string;
  readonly agentType: string;
  readonly parentAgent?: string;
  /** When the file last tells of something; zero where it gives no time. */
  readonly latest: number;
}

/** What is known of one file, or of those that are read together: plain data, kept between two starts. */
export interface Indexed {
  readonly key: string;
  readonly dialect: string;
  /** Of the file when it was read; less where the reading stopped before its end. */
  readonly size: number;
  readonly mtime: number;
  readonly mark: Mark;
  readonly state: DialectState;
  readonly mentions: readonly Mention[];
  /** By session and agent. */
  readonly lives: Readonly<Record<string, Live>>;
  /** Why the file could not be read, if so. */
  readonly problem?: string;
}

export interface ReadOptions {
  /** Told of everything that is read; `before` is the list as it was until then. */
  readonly onEvent?: (
    event: StreamEvent,
    live: Live,
    change: Event | undefined,
    before: Track,
  ) => void;
  /** Reads every line, not only those that can matter. */
  readonly whole?: boolean;
  /** How many bytes at the end of a long file are read line by line. */
  readonly tail?: number;
  /** How many bytes of a file are read at once; the next reading goes on from there. */
  readonly limit?: number;
  /** When it is enough for now, by the clock that nobody sets; at least one line is read. */
  readonly until?: number;
}

/** Folds what a reader says into the agents that it is about. */
export interface Fold {
  readonly reader: Reader;
  readonly lives: Record<string, Live>;
  take(events: readonly StreamEvent[]): void;
  /** The same where not every line is read. */
  takeInPassing(events: readonly StreamEvent[]): void;
  /** Begins an agent with the list that was known of it. */
  adopt(event: StreamEvent, track: Track): void;
}

/**
 * Records without a time get that of their file: the same file always reads the same, whenever it
 * is read.
 */
export function newFold(
  found: Pick<FoundSource, "kind" | "path" | "mtime" | "session" | "agent" | "parent">,
  dialect: Dialect,
  options: ReadOptions,
  known?: Pick<Indexed, "state" | "lives">,
): Fold {
  const lives: Record<string, Live> = { ...known?.lives };
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
  // Most of the time it is the same one as before.
  let last: Live | undefined;
  const liveOf = (event: StreamEvent): Live => {
    if (last?.session === event.sessionId && last.agent === event.agentId) return last;
    const key = trackKey({ session: event.sessionId, agent: event.agentId });
    last = lives[key] ?? emptyLive(event);
    lives[key] = last;
    return last;
  };
  const takeWith = (fold: typeof foldStream) => (events: readonly StreamEvent[]) => {
    for (const event of events) {
      const live = liveOf(event);
      const before = live.track;
      const change = fold(live, event);
      options.onEvent?.(event, live, change, before);
    }
  };
  const adopt = (event: StreamEvent, track: Track): void => {
    last = { ...emptyLive(event), track };
    lives[trackKey({ session: event.sessionId, agent: event.agentId })] = last;
  };
  return {
    reader,
    lives,
    take: takeWith(foldStream),
    takeInPassing: takeWith(foldInPassing),
    adopt,
  };
}

export function indexed(found: FoundSource, { reader, lives }: Fold, mark: Mark): Indexed {
  const { size, mtime } = found;
  const { dialect, state } = reader;
  const mentions = mentionsOf(Object.values(lives));
  return { key: keyOf(found), dialect: dialect.id, size, mtime, mark, state, mentions, lives };
}

/** Files that do not say whose they are tell of nobody. */
const NOBODY = "unknown";

function mentionsOf(lives: readonly Live[]): readonly Mention[] {
  return lives
    .filter((live) => live.session !== NOBODY && isSomebody(live))
    .map(({ session, agent, agentType, activity, track }) => ({
      session,
      agent,
      agentType,
      ...(track.parentAgent !== undefined && { parentAgent: track.parentAgent }),
      latest: Math.max(activity.lastAt, track.updatedAt),
    }));
}

/** It did something, or was at least begun. */
function isSomebody({ activity, track, plan }: Live): boolean {
  return activity.lastAt > 0 || track.version > 0 || plan !== undefined;
}

/** What was read is kept, but the file is read again the next time. */
export function failed(found: FoundSource, fold: Fold, problem: string): Indexed {
  return { ...indexed(found, fold, START), problem };
}

/** Nothing changed since it was read. */
export function isCurrent(
  known: Indexed,
  { size, mtime }: Pick<FoundSource, "size" | "mtime">,
): boolean {
  return known.size === size && known.mtime === mtime && known.problem === undefined;
}
