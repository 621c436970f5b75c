import { emptyTrack, evolve, FOLD_VERSION, foldEvents } from "../core/evolve.ts";
import type { Decision, Event, Outcome, Track, TrackId } from "../core/model.ts";
import { openServer, type Query, type ServerOptions } from "../engines/postgres/server.ts";
import { createServerWatch } from "../engines/postgres/watch.ts";
import { type Warn, warnOnConsole } from "../engines/storage/warn.ts";
import { duplicateOutcome, outcomeOf } from "./outcome.ts";
import {
  bodiesAfter,
  bodyByKey,
  findHead,
  type Head,
  keepEvent,
  lockTrack,
  matchingTracks,
  trackIdOf,
} from "./postgres-rows.ts";
import type { RecordedEvent, Store } from "./store.ts";

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends ServerOptions {
  /** Receives warnings (default: they are printed). */
  readonly onWarning?: Warn;
}

const RECORDED =
  "(SELECT position, session, agent, body FROM waymark.events JOIN waymark.tracks ON tracks.id = events.track)";

/**
 * Opens a store on a PostgreSQL server, which any number of machines may share.
 *
 * @param url a connection URL such as `postgres://user@host/database`
 * @param options the connection, and where warnings go
 * @returns the store; close it when you no longer need it
 * @throws WaymarkError if the server cannot be reached or its schema is newer than this version
 * @example
 * ```ts
 * import { createTracker } from "waymark";
 * import { postgresStore } from "waymark/stores/postgres";
 *
 * const store = await postgresStore("postgres://me@localhost/team");
 * const tracker = createTracker({ store, session: "my-session" });
 * ```
 */
export async function postgresStore(
  url: string,
  options: PostgresStoreOptions = {},
): Promise<Store> {
  const server = await openServer(url, options);
  const watching = createServerWatch<RecordedEvent>(
    server,
    {
      from: RECORDED,
      number: "position",
      channel: "waymark_tracks",
      eventOf: (row) => ({
        position: Number(row.position),
        track: trackIdOf(row),
        event: JSON.parse(row.body as string),
      }),
    },
    options.onWarning ?? warnOnConsole,
  );
  let lastCommit: Promise<unknown> = Promise.resolve();

  async function commit(id: TrackId, key: string, decide: (track: Track) => Decision) {
    await watching.started();
    const result = await server.attempt(async (query, tries): Promise<Outcome> => {
      await lockTrack(query, id);
      const head = await findHead(query, id);
      const body = head && (await bodyByKey(query, head.row, key));
      if (head && body !== undefined) {
        const event: Event = JSON.parse(body);
        // After a lost connection, it may be the event of this call.
        if (tries > 0) return outcomeAgain(query, id, head, event);
        return duplicateOutcome(event, await trackOf(query, id, head));
      }
      const track = head ? await trackOf(query, id, head) : emptyTrack(id);
      const outcome = outcomeOf(track, key, decide(track));
      if (outcome.event) await keepEvent(query, head?.row, outcome.event, outcome.after);
      return outcome;
    }, true);
    if (result.event && !result.duplicate) watching.notify();
    return result;
  }

  const reading = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    server.attempt((query) => work(query), false);

  return {
    durable: true,

    read: (id) =>
      reading(async (query) => {
        const head = await findHead(query, id);
        return head ? trackOf(query, id, head) : emptyTrack(id);
      }),

    async commit(id, key, decide) {
      const turn = lastCommit.then(() => commit(id, key, decide));
      lastCommit = turn.catch(() => undefined);
      return turn;
    },

    events: (id, after = 0) =>
      reading(async (query) => {
        const head = await findHead(query, id);
        return head ? eventsAfter(query, head.row, after) : [];
      }),

    tracks: (filter = {}) =>
      reading(async (query) => {
        const tracks: Track[] = [];
        for (const head of await matchingTracks(query, filter))
          tracks.push(await trackOf(query, head.id, head));
        return tracks;
      }),

    watch: (listener) => watching.add(listener),

    async close() {
      await lastCommit;
      await watching.close();
      await server.close();
    },
  };
}

async function eventsAfter(query: Query, row: number, seq: number): Promise<Event[]> {
  return (await bodiesAfter(query, row, seq)).map((body) => JSON.parse(body));
}

async function trackOf(query: Query, id: TrackId, head: Head): Promise<Track> {
  if (head.fold === FOLD_VERSION) return JSON.parse(head.state);
  return foldEvents(id, await eventsAfter(query, head.row, 0));
}

async function outcomeAgain(query: Query, id: TrackId, head: Head, event: Event): Promise<Outcome> {
  const all = await eventsAfter(query, head.row, 0);
  const before = foldEvents(
    id,
    all.filter(({ seq }) => seq < event.seq),
  );
  const rejected = event.rejected ?? [];
  const ok = rejected.length === 0;
  return { ok, duplicate: false, event, rejected, before, after: evolve(before, event) };
}
