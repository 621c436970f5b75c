import { WaymarkError } from "../core/error.ts";
import { FOLD_VERSION } from "../core/evolve.ts";
import type { Event, Track, TrackId } from "../core/model.ts";
import type { Database } from "../engines/sqlite/driver.ts";
import type { Mark } from "../engines/sqlite/shared-file.ts";
import { fromColumn, toColumn } from "../engines/storage/column.ts";
import type { TrackFilter } from "./store.ts";

/** The row of a track, without its state. */
export interface Head {
  readonly row: number;
  readonly version: number;
  readonly fold: number;
}

/** The statements of the store, prepared once per connection. Call them within a transaction. */
export interface Rows {
  head(id: TrackId): Head | undefined;
  state(row: number): string;
  bodyByKey(row: number, key: string): string | undefined;
  bodiesAfter(row: number, seq: number): string[];
  /** Writes an event and the track after it. Returns the row of the track. */
  keep(row: number | undefined, event: Event, after: Track): number;
  matching(filter: TrackFilter): (Head & { readonly id: TrackId; readonly state: string })[];
  lastPosition(): number;
  /** The last event at or before a position. */
  eventAt(position: number): Mark | undefined;
  recordedAfter(
    position: number,
    limit: number,
  ): { readonly position: number; readonly id: TrackId; readonly body: string }[];
}

export function createRows(db: Database, path: string): Rows {
  const head = db.prepare("SELECT id, version, fold FROM tracks WHERE session = ? AND agent = ?");
  const state = db.prepare("SELECT state FROM tracks WHERE id = ?");
  const byKey = db.prepare("SELECT body FROM events WHERE track = ? AND key = ?");
  const bodies = db.prepare("SELECT body FROM events WHERE track = ? AND seq > ? ORDER BY seq");
  const addTrack = db.prepare(
    "INSERT INTO tracks (session, agent, version, fold, state, cwd, last) VALUES (?, ?, 0, ?, '', NULL, 0)",
  );
  const addEvent = db.prepare("INSERT INTO events (track, seq, key, body) VALUES (?, ?, ?, ?)");
  const moveTrack = db.prepare(
    "UPDATE tracks SET version = ?, fold = ?, state = ?, cwd = ?, last = ? WHERE id = ? AND version = ?",
  );
  const matching = db.prepare(
    `SELECT id, session, agent, version, fold, state FROM tracks
      WHERE (? IS NULL OR session = ?) AND (? IS NULL OR cwd = ?) ORDER BY last DESC LIMIT ?`,
  );
  const lastPosition = db.prepare("SELECT coalesce(max(position), 0) AS position FROM events");
  const eventAt = db.prepare(
    "SELECT position, key FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1",
  );
  const recorded = db.prepare(
    `SELECT position, session, agent, body FROM events JOIN tracks ON tracks.id = events.track
      WHERE position > ? ORDER BY position LIMIT ?`,
  );
  const text = (value: unknown) => value as string;
  const number = (value: unknown) => value as number;
  const idOf = (session: unknown, agent: unknown): TrackId => ({
    session: fromColumn(session),
    agent: fromColumn(agent),
  });

  return {
    head({ session, agent }) {
      const found = head.all(toColumn(session), toColumn(agent))[0];
      return (
        found && { row: number(found.id), version: number(found.version), fold: number(found.fold) }
      );
    },
    state: (row) => text(state.all(row)[0]?.state),
    bodyByKey(row, key) {
      const found = byKey.all(row, toColumn(key))[0];
      return found && text(found.body);
    },
    bodiesAfter: (row, seq) => bodies.all(row, seq).map((found) => text(found.body)),
    keep(known, event, after) {
      const row =
        known ?? addTrack.run(toColumn(after.session), toColumn(after.agent), FOLD_VERSION).lastRow;
      const { lastRow: position } = addEvent.run(
        row,
        event.seq,
        toColumn(event.key),
        JSON.stringify(event),
      );
      const cwd = after.cwd === undefined ? null : toColumn(after.cwd);
      const { changes } = moveTrack.run(
        after.version,
        FOLD_VERSION,
        JSON.stringify(after),
        cwd,
        position,
        row,
        event.seq - 1,
      );
      if (changes !== 1)
        throw new WaymarkError(
          "store_corrupt",
          `The version of ${after.session}/${after.agent} in the store ${path} does not match its events. ` +
            "Nothing was written.",
        );
      return row;
    },
    matching({ session, cwd, limit }) {
      const wanted = session === undefined ? null : toColumn(session);
      const directory = cwd === undefined ? null : toColumn(cwd);
      const most = limit === undefined ? -1 : Math.max(0, limit);
      return matching.all(wanted, wanted, directory, directory, most).map((found) => ({
        row: number(found.id),
        id: idOf(found.session, found.agent),
        version: number(found.version),
        fold: number(found.fold),
        state: text(found.state),
      }));
    },
    lastPosition: () => number(lastPosition.all()[0]?.position),
    eventAt(position) {
      const found = eventAt.all(position)[0];
      return found && { position: number(found.position), name: text(found.key) };
    },
    recordedAfter: (position, limit) =>
      recorded.all(position, limit).map((found) => ({
        position: number(found.position),
        id: idOf(found.session, found.agent),
        body: text(found.body),
      })),
  };
}
