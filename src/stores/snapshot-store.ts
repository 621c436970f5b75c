import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { foldEvents, trackVersions } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import { busyError, closedError, fileFailure } from "../engines/storage/failure.ts";
import { ensureDirectory } from "../engines/storage/files.ts";
import { warnOfNetwork } from "../engines/storage/network.ts";
import { createPoller, followEvents } from "../engines/storage/poller.ts";
import { BUSY, createQueue, type Queue } from "../engines/storage/queue.ts";
import { uniqueToken } from "../engines/storage/unique-token.ts";
import { redactedMessage, type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import { type Journal, openJournal } from "./journal.ts";
import { createLruCache } from "./lru-cache.ts";
import { duplicateOutcome, outcomeOf } from "./outcome.ts";
import { startEvent, writeSnapshot } from "./snapshot-file.ts";
import { filesOf, trackOfName } from "./snapshot-name.ts";
import type { Store } from "./store.ts";

/** Options of `snapshotStore`. */
export interface SnapshotStoreOptions {
  /** Milliseconds to wait for other processes before a commit fails with `store_busy`. */
  readonly waitLimit?: number;
  /** Receives warnings (default: they are printed). */
  readonly onWarning?: Warn;
}

interface OpenTrack {
  readonly journal: Journal;
  readonly queue: Queue;
}

const WAIT_LIMIT = 10_000;
const CACHED_TRACKS = 64;
const WRITE_ROUNDS = 3;

/**
 * Opens a store of plain files: the events of each track in a journal, its list as a snapshot beside it.
 * Needs no SQLite, and the files are readable.
 *
 * Events of different tracks have no common order: `position` counts the events of one subscription.
 *
 * @param directory the directory of the files; it is created if it does not exist
 * @param options how long to wait for other processes, and where warnings go
 * @returns the store
 * @example
 * ```ts
 * import { createTracker } from "waymark";
 * import { snapshotStore } from "waymark/stores/snapshots";
 *
 * const store = snapshotStore("todos");
 * const tracker = createTracker({ store, session: "my-session" });
 * ```
 */
export function snapshotStore(directory: string, options: SnapshotStoreOptions = {}): Store {
  const dir = resolve(directory);
  const { waitLimit = WAIT_LIMIT, onWarning: warn = warnOnConsole } = options;
  const cache = createLruCache<OpenTrack>(CACHED_TRACKS);
  const sweeps = createPoller(dir, warn);
  let closed = false;
  let lastCommit: Promise<unknown> = Promise.resolve();
  guarded("Opening the store", () => {
    const isNew = !existsSync(dir);
    ensureDirectory(dir);
    if (isNew) warnOfNetwork(dir, warn);
  });

  function guarded<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fileFailure(what, dir, error);
    }
  }

  function openTrack(id: TrackId): OpenTrack {
    const files = filesOf(dir, id);
    const name = trackKey(id);
    const known = cache.get(name);
    if (known) return known;
    const opened = {
      journal: openJournal(files.journal, id, warn),
      queue: createQueue(files.queue, { limit: waitLimit }),
    };
    cache.set(name, opened);
    return opened;
  }

  /** The journal, read to its end. If reading fails, the partly read journal is discarded. */
  function currentJournal(id: TrackId): Journal {
    const { journal } = openTrack(id);
    try {
      guarded("Reading the journal", () => journal.catchUp());
    } catch (error) {
      cache.delete(trackKey(id));
      throw error;
    }
    return journal;
  }

  function eventsOf(id: TrackId): readonly Event[] {
    const journal = currentJournal(id);
    if (journal.track.version > 0) return journal.entries.map((entry) => entry.event);
    const start = startEvent(dir, id, warn);
    return start ? [start] : [];
  }

  function trackOf(id: TrackId): Track {
    const { track } = currentJournal(id);
    return track.version > 0 ? track : foldEvents(id, eventsOf(id));
  }

  function mirror(id: TrackId, journal: Journal, before: Track): void {
    let last = before;
    const everyList = () =>
      trackVersions(
        id,
        journal.entries.map((entry) => entry.event),
      );
    /** The lists that the track ever had. The last one comes first, because it nearly always matches. */
    function* lists() {
      yield last;
      yield* everyList();
      // Another process may have written since: lists are in the journal before they are in the snapshot.
      journal.catchUp();
      yield* everyList();
    }
    try {
      for (let round = 0; round < WRITE_ROUNDS; round++) {
        const { version } = journal.track;
        writeSnapshot(dir, journal.track, warn, lists);
        last = journal.track;
        // Meanwhile, another process may have overwritten a newer list with an older one.
        journal.catchUp();
        if (journal.track.version === version) return;
      }
    } catch (error) {
      warn(
        `Version ${journal.track.version} of ${id.session}/${id.agent} is stored, but its snapshot was not ` +
          `written: ${redactedMessage(error)}`,
      );
    }
  }

  function append(journal: Journal, event: Event): boolean {
    const nonce = uniqueToken();
    guarded("Writing the journal", () => journal.append(event, nonce));
    guarded("Reading the journal", () => journal.catchUp());
    const counted = journal.entries.findLast((entry) => entry.event.seq === event.seq);
    return counted?.nonce === nonce;
  }

  function attempt(
    id: TrackId,
    key: string,
    decide: (track: Track) => Decision,
  ): Outcome | typeof BUSY {
    const journal = currentJournal(id);
    if (journal.track.version === 0) {
      const start = startEvent(dir, id, warn);
      if (start) append(journal, start);
    }
    const before = journal.track;
    const known = journal.find(key);
    if (known) {
      guarded("Writing the journal", () => journal.repeat(known, uniqueToken()));
      return duplicateOutcome(known, before);
    }
    const outcome = outcomeOf(before, key, decide(before));
    if (!outcome.event) return outcome;
    if (!append(journal, outcome.event)) return BUSY;
    mirror(id, journal, before);
    return outcome;
  }

  async function commit(id: TrackId, key: string, decide: (track: Track) => Decision) {
    const { queue } = openTrack(id);
    const outcome = await queue
      .turn(() => attempt(id, key, decide))
      .catch((error: unknown) => {
        // The journal may be partly read, or have another end than it seemed.
        cache.delete(trackKey(id));
        throw error;
      });
    if (outcome === BUSY) throw busyError(dir, waitLimit);
    if (outcome.event && !outcome.duplicate) sweeps.now();
    return outcome;
  }

  /** Every track with a file, and the time of its last write. */
  function listTracks(): { readonly track: Track; readonly written: bigint }[] {
    const names = guarded("Listing the store", () => readdirSync(dir));
    const written = new Map<string, { readonly id: TrackId; readonly written: bigint }>();
    for (const name of names) {
      const found = trackOfName(name);
      const stats = found && statSync(join(dir, name), { bigint: true, throwIfNoEntry: false });
      if (!stats) continue;
      const key = trackKey(found.id);
      // The journal determines the order; the snapshot is written a moment later.
      if (found.kind === "journal" || !written.has(key))
        written.set(key, { id: found.id, written: stats.mtimeNs });
    }
    return [...written.values()].flatMap(({ id, written }) => {
      try {
        return [{ track: trackOf(id), written }];
      } catch (error) {
        warn(`Skipped a track: ${redactedMessage(error)}`);
        return [];
      }
    });
  }

  function assertOpen(): void {
    if (closed) throw closedError(`The store ${dir}`);
  }

  return {
    durable: true,

    async read(id) {
      assertOpen();
      return trackOf(id);
    },

    async commit(id, key, decide) {
      assertOpen();
      filesOf(dir, id);
      const turn = lastCommit.then(() => commit(id, key, decide));
      lastCommit = turn.catch(() => undefined);
      return turn;
    },

    async events(id, after = 0) {
      assertOpen();
      return eventsOf(id).filter(({ seq }) => seq > after);
    },

    async tracks({ session, cwd, limit } = {}) {
      assertOpen();
      const matching = listTracks()
        .filter(({ track }) => track.version > 0)
        .filter(({ track }) => session === undefined || track.session === session)
        .filter(({ track }) => cwd === undefined || track.cwd === cwd)
        // Two writes may have the same mtime: file system clocks are coarse.
        .toSorted((a, b) => compare(b.written, a.written) || b.track.updatedAt - a.track.updatedAt)
        .map(({ track }) => track);
      return limit === undefined ? matching : matching.slice(0, Math.max(0, limit));
    },

    watch(listener) {
      assertOpen();
      const seen = new Map<string, number>();
      const journals = () =>
        guarded("Listing the store", () => readdirSync(dir)).flatMap((name) => {
          const found = trackOfName(name);
          if (found?.kind !== "journal") return [];
          const stats = statSync(join(dir, name), { throwIfNoEntry: false });
          return stats ? [{ name, id: found.id, size: stats.size }] : [];
        });
      for (const { name, size } of journals()) seen.set(name, size);
      let position = 0;
      function* newEvents() {
        for (const { name, id, size } of journals()) {
          const from = seen.get(name) ?? 0;
          if (size === from) continue;
          const { entries, end } = currentJournal(id);
          // A shorter file was replaced: its content at that time is not new.
          seen.set(name, size < from ? size : end);
          const known = Math.min(size, from);
          const fresh = entries.slice(entries.findLastIndex((entry) => entry.end <= known) + 1);
          for (const { event } of fresh) {
            position += 1;
            yield { position, event: { position, track: id, event } };
          }
        }
        return false;
      }
      return followEvents(sweeps, newEvents, listener, warn);
    },

    async close() {
      closed = true;
      sweeps.close();
      await lastCommit;
      cache.clear();
    },
  };
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
