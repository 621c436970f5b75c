import { FOLD_VERSION } from "../core/evolve.ts";
import type { Event, Track, TrackId } from "../core/model.ts";
import type { Query, Row } from "../engines/postgres/server.ts";
import { fromColumn, toColumn } from "../engines/storage/column.ts";
import type { TrackFilter } from "./store.ts";

/** The row of a track. */
export interface Head {
  readonly row: number;
  readonly version: number;
  readonly fold: number;
  readonly state: string;
}

export function trackIdOf({ session, agent }: Row): TrackId {
  return { session: fromColumn(session), agent: fromColumn(agent) };
}

function headOf(row: Row): Head {
  return {
    row: Number(row.id),
    version: Number(row.version),
    fold: Number(row.fold),
    state: row.state as string,
  };
}

/**
 * Locks the track until the transaction ends. Also assigns the transaction id before an event gets its
 * position, which subscriptions rely on.
 */
export async function lockTrack(query: Query, { session, agent }: TrackId): Promise<void> {
  await query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0)), pg_current_xact_id()", [
    `${toColumn(session)}"${toColumn(agent)}`,
  ]);
}

export async function findHead(
  query: Query,
  { session, agent }: TrackId,
): Promise<Head | undefined> {
  const [row] = await query(
    `SELECT id, version, fold, state FROM waymark.tracks
      WHERE md5(session) = md5($1) AND md5(agent) = md5($2) AND session = $1 AND agent = $2`,
    [toColumn(session), toColumn(agent)],
  );
  return row && headOf(row);
}

export async function bodiesAfter(query: Query, row: number, seq: number): Promise<string[]> {
  const rows = await query(
    "SELECT body FROM waymark.events WHERE track = $1 AND seq > $2 ORDER BY seq",
    [row, seq],
  );
  return rows.map(({ body }) => body as string);
}

export async function bodyByKey(
  query: Query,
  row: number,
  key: string,
): Promise<string | undefined> {
  const [found] = await query(
    "SELECT body FROM waymark.events WHERE track = $1 AND md5(key) = md5($2) AND key = $2",
    [row, toColumn(key)],
  );
  return found?.body as string | undefined;
}

export async function keepEvent(
  query: Query,
  known: number | undefined,
  event: Event,
  after: Track,
): Promise<void> {
  const row = known ?? (await addTrack(query, after));
  const [added] = await query(
    "INSERT INTO waymark.events (track, seq, key, body) VALUES ($1, $2, $3, $4) RETURNING position",
    [row, event.seq, toColumn(event.key), JSON.stringify(event)],
  );
  await query(
    "UPDATE waymark.tracks SET version = $1, fold = $2, state = $3, cwd = $4, last = $5 WHERE id = $6",
    [
      after.version,
      FOLD_VERSION,
      JSON.stringify(after),
      after.cwd === undefined ? null : toColumn(after.cwd),
      added?.position,
      row,
    ],
  );
}

async function addTrack(query: Query, { session, agent }: TrackId): Promise<number> {
  const [row] = await query(
    `INSERT INTO waymark.tracks (session, agent, version, fold, state, last)
     VALUES ($1, $2, 0, $3, '', 0) RETURNING id`,
    [toColumn(session), toColumn(agent), FOLD_VERSION],
  );
  return Number(row?.id);
}

export async function matchingTracks(
  query: Query,
  { session, cwd, limit }: TrackFilter,
): Promise<(Head & { readonly id: TrackId })[]> {
  const rows = await query(
    `SELECT id, session, agent, version, fold, state FROM waymark.tracks
      WHERE ($1::text IS NULL OR session = $1) AND ($2::text IS NULL OR cwd = $2) ORDER BY last DESC LIMIT $3`,
    [
      session === undefined ? null : toColumn(session),
      cwd === undefined ? null : toColumn(cwd),
      limit === undefined ? null : Math.max(0, limit),
    ],
  );
  return rows.map((row) => ({ ...headOf(row), id: trackIdOf(row) }));
}
