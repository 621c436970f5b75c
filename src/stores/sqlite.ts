import { WaymarkError } from "../core/error.ts";
import { emptyTrack, FOLD_VERSION, foldEvents, trackVersions } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import type { DriverName } from "../engines/sqlite/driver.ts";
import { isBusy } from "../engines/sqlite/result-code.ts";
import { openSharedFile, type Written } from "../engines/sqlite/shared-file.ts";
import { damageHint } from "../engines/storage/lost-store.ts";
import { redactedMessage, type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import { createLruCache } from "./lru-cache.ts";
import { duplicateOutcome, outcomeOf } from "./outcome.ts";
import { createRows, type Head, type Rows } from "./sqlite-rows.ts";
import type { Store } from "./store.ts";

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The driver (default: `WAYMARK_SQLITE_DRIVER`, otherwise Node's own, otherwise libsql). */
  readonly driver?: DriverName;
  /** Milliseconds to wait for other processes before a call fails with `store_busy`. */
  readonly waitLimit?: number;
  /**
   * Called after each commit with the track, whether its list changed, and its former versions, the last
   * first. It runs before other processes can commit, so callbacks run in the order of the commits. An
   * error that it throws becomes a warning; the commit is not undone.
   */
  readonly onCommit?: (
    track: Track,
    listChanged: boolean,
    former: () => Iterable<Track>,
    before: Track,
  ) => void;
  /** Receives warnings (default: they are printed). */
  readonly onWarning?: Warn;
  /** Open an empty `waymark.db` of a home although its mirror has lists (default: fail with `store_lost`). */
  readonly startEmpty?: boolean;
  /** Create the missing directories above the file (default: false). */
  readonly createDirectory?: boolean;
}

const CACHED_TRACKS = 64;
const MIRROR_ROUNDS = 3;

/**
 * Opens a store in one SQLite file, which any number of processes may share.
 *
 * @param name the path of the file; it is created if it does not exist
 * @param options the driver, how long to wait for other processes, and what to create
 * @returns the store; close it when you no longer need it
 * @throws WaymarkError if the directory does not exist (`no_directory`), the file is not a store
 *   or cannot be opened
 * @example
 * ```ts
 * import { createTracker } from "waymark";
 * import { sqliteStore } from "waymark/stores/sqlite";
 *
 * const store = await sqliteStore("data/todos.db", { createDirectory: true });
 * const tracker = createTracker({ store, session: "my-session" });
 * ```
 */
export async function sqliteStore(name: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const { driver, waitLimit, onCommit, onWarning: warn = warnOnConsole, startEmpty } = options;
  const { createDirectory } = options;
  const cache = createLruCache<{ readonly row: number; readonly track: Track }>(CACHED_TRACKS);
  const file = await openSharedFile<Rows>(name, {
    driver,
    waitLimit,
    always: onCommit !== undefined,
    warn,
    startEmpty,
    createDirectory,
    prepare: createRows,
    eventAt: (rows, position) => rows.eventAt(position),
    forget: cache.clear,
  });
  const { path } = file;

  function parse<T>(json: string): T {
    try {
      return JSON.parse(json);
    } catch (cause) {
      const reason = `The store ${path} has a row that is not valid JSON (${redactedMessage(cause)}).`;
      const way = damageHint(path);
      throw new WaymarkError("store_corrupt", `${reason} ${way}`, { cause });
    }
  }

  function eventsAfter(rows: Rows, row: number, seq: number): Event[] {
    return rows.bodiesAfter(row, seq).map((body) => parse<Event>(body));
  }

  function trackOf(rows: Rows, id: TrackId, head: Head, state: () => string): Track {
    const current = head.fold === FOLD_VERSION;
    const known = cache.get(trackKey(id));
    if (current && known?.row === head.row && known.track.version === head.version)
      return known.track;
    const track = current ? parse<Track>(state()) : foldEvents(id, eventsAfter(rows, head.row, 0));
    cache.set(trackKey(id), { row: head.row, track });
    return track;
  }

  function load(rows: Rows, id: TrackId): { readonly row?: number; readonly track: Track } {
    const head = rows.head(id);
    if (!head) return { track: emptyTrack(id) };
    return { row: head.row, track: trackOf(rows, id, head, () => rows.state(head.row)) };
  }

  function mirror(id: TrackId, committed: Track, before: Track): void {
    if (!onCommit) return;
    let last = before;
    function* former() {
      yield last;
      yield* trackVersions(
        id,
        file.now((rows) => eventsAfter(rows, rows.head(id)?.row ?? 0, 0)),
      );
    }
    try {
      let track = committed;
      let listChanged = committed.revision !== before.revision;
      for (let round = 0; round < MIRROR_ROUNDS; round++) {
        onCommit(track, listChanged, former, last);
        // A process that the queue considered dead may have committed late: mirror the newer track.
        const now = file.now((rows) => load(rows, id).track);
        if (now.version === track.version) return;
        listChanged = now.revision !== track.revision;
        last = track;
        track = now;
      }
    } catch (error) {
      // Busy: another process is committing and will mirror the result.
      if (!isBusy(error))
        warn(
          `Version ${committed.version} of ${id.session}/${id.agent} is stored, but mirroring it failed: ${redactedMessage(error)}`,
        );
    }
  }

  function commit(
    rows: Rows,
    id: TrackId,
    key: string,
    decide: (track: Track) => Decision,
  ): Written<Outcome> {
    const { row, track } = load(rows, id);
    const known = row === undefined ? undefined : rows.bodyByKey(row, key);
    const outcome =
      known === undefined
        ? outcomeOf(track, key, decide(track))
        : duplicateOutcome(parse(known), track);
    const { event, after } = outcome;
    if (outcome.duplicate || !event)
      return { answer: outcome, events: 0, again: outcome.duplicate };
    const trackRow = rows.keep(row, event, after);
    return {
      answer: outcome,
      events: 1,
      settled() {
        cache.set(trackKey(id), { row: trackRow, track: after });
        mirror(id, after, outcome.before);
      },
    };
  }

  return {
    durable: true,

    read: (id) => file.reading((rows) => load(rows, id).track),

    commit: (id, key, decide) => file.writing((rows) => commit(rows, id, key, decide)),

    events: (id, after = 0) =>
      file.reading((rows) => {
        const head = rows.head(id);
        return head ? eventsAfter(rows, head.row, after) : [];
      }),

    tracks: (filter = {}) =>
      file.reading((rows) =>
        rows.matching(filter).map((found) => trackOf(rows, found.id, found, () => found.state)),
      ),

    watch: (listener, replaced) =>
      file.follow(
        {
          last: (rows) => rows.lastPosition(),
          after: (rows, position, limit) => rows.recordedAfter(position, limit),
          positionOf: ({ position }) => position,
        },
        ({ position, id, body }) => listener({ position, track: id, event: parse(body) }),
        replaced,
      ),

    close: file.close,
  };
}
