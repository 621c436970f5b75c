import { WaymarkError } from "../../core/error.ts";
import type { Event, TrackId } from "../../core/model.ts";
import { redactUrl } from "../../core/text/redact.ts";
import { postgresFailure } from "../../engines/postgres/failure.ts";
import { notify } from "../../engines/postgres/listen.ts";
import type { Connection, Row, Server } from "../../engines/postgres/server.ts";
import { fromColumn, toColumn } from "../../engines/storage/column.ts";

export const RELAY_CHANNEL = "waymark_relayed";

/** The id of a machine and its name for people. */
export interface MachineName {
  readonly id: string;
  readonly name: string;
}

/** The server's state of a track. */
export interface RelayHead {
  readonly hash: string;
  /** Version of the list. */
  readonly version: number;
  /** Number of events of its history, and the key of the last one. */
  readonly eventCount: number;
  readonly lastKey?: string;
}

/** An update of one track for the server. */
export interface RelayUpdate extends RelayHead {
  readonly id: TrackId;
  /** The shared state of the track, as JSON. */
  readonly state: string;
  readonly updatedAt: number;
  /** The events after those that the server has; all of them if `replacesHistory`. */
  readonly events: readonly Event[];
  readonly replacesHistory: boolean;
}

/** The connection of a machine to the server. While it is open, no other relay writes for the machine. */
export interface RelayConnection {
  /** The name of the machine on the server. */
  readonly name: string;
  /** The server's state of this machine, by track key. */
  heads(): Promise<ReadonlyMap<string, RelayHead>>;
  /** Stores all updates durably, or none. An empty list is a heartbeat. */
  send(updates: readonly RelayUpdate[]): Promise<void>;
  close(): void;
}

interface RelayConnectionOptions {
  readonly machine: MachineName;
  /** Unique name of this relay, up to 63 characters. */
  readonly relay: string;
  /** Milliseconds of inactivity after which the server closes the connection. */
  readonly idleTimeout: number;
  keyOf(id: TrackId): string;
  onLost(): void;
}

/**
 * Connects a machine; undefined while another relay of it is connected. The advisory lock belongs to
 * the connection that sends the updates, so both are lost together.
 */
export async function openRelayConnection(
  server: Server,
  { machine, relay, idleTimeout, keyOf, onLost }: RelayConnectionOptions,
): Promise<RelayConnection | undefined> {
  const client = await connected(server);
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    client.removeAllListeners("error");
    client.on("error", () => undefined);
    // Closed, not returned to the pool: the lock ends with the connection.
    client.release(true);
  };
  client.once("error", () => {
    close();
    onLost();
  });
  const query = async (sql: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    if (!isOpen) throw lostError(server);
    try {
      return (await client.query(sql, values)).rows;
    } catch (error) {
      close();
      throw postgresFailure(server.url, error);
    }
  };

  const settings = settingsFor(relay, idleTimeout);
  await query(SET_KNOWN, [Object.keys(settings), Object.values(settings)]);
  const [lock] = await query("SELECT pg_try_advisory_lock(hashtextextended($1, 7)) AS ours", [
    machine.id,
  ]);
  if (!lock?.ours) {
    const former = await query(END_FORMER, [relay]);
    close();
    if (former.length > 0) throw lostError(server);
    return undefined;
  }
  // The second machine with a name gets a suffix.
  const [entry] = await query(
    `INSERT INTO waymark.machines (id, name, seen_at, ahead)
     SELECT $1, CASE WHEN EXISTS (SELECT FROM waymark.machines WHERE name = $2 AND id <> $1)
                     THEN $2 || '-' || left($1, 4) ELSE $2 END,
            waymark.now_ms(), $3::bigint - waymark.now_ms()
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at, ahead = excluded.ahead
     RETURNING name`,
    [machine.id, machine.name, Date.now()],
  );

  return {
    name: String(entry?.name),

    async heads() {
      const rows = await query(
        "SELECT session, agent, hash, version, places, last_key FROM waymark.relayed WHERE machine = $1",
        [machine.id],
      );
      return new Map(
        rows.map((row) => [
          keyOf({ session: fromColumn(row.session), agent: fromColumn(row.agent) }),
          {
            hash: String(row.hash),
            version: Number(row.version),
            eventCount: Number(row.places),
            ...(row.last_key !== null && { lastKey: fromColumn(row.last_key) }),
          },
        ]),
      );
    },

    async send(updates) {
      await query("BEGIN");
      if (updates.length > 0)
        await storeHistories(query, updates, await storeTracks(query, machine.id, updates));
      await query(
        "UPDATE waymark.machines SET seen_at = waymark.now_ms(), ahead = $2::bigint - waymark.now_ms() WHERE id = $1",
        [machine.id, Date.now()],
      );
      await query("COMMIT");
      if (updates.length > 0) await notify(server, RELAY_CHANNEL);
    },

    close,
  };
}

/** Skips settings that the server does not know: `idle_session_timeout` needs PostgreSQL 14. */
const SET_KNOWN = `SELECT set_config(name, value, false)
   FROM unnest($1::text[], $2::text[]) AS given (name, value) JOIN pg_settings USING (name)`;

/** Ends our own earlier connection, if only our side lost it: the server could keep its lock for hours. */
const END_FORMER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid()`;

function settingsFor(
  relay: string,
  idleTimeout: number,
): Readonly<Record<string, string | number>> {
  const seconds = (part: number): number => Math.ceil(idleTimeout / part / 1_000);
  return {
    idle_session_timeout: idleTimeout,
    idle_in_transaction_session_timeout: idleTimeout,
    tcp_keepalives_idle: seconds(3),
    tcp_keepalives_interval: seconds(6),
    tcp_keepalives_count: 4,
    tcp_user_timeout: idleTimeout,
    application_name: relay,
  };
}

async function connected(server: Server): Promise<Connection> {
  try {
    return await server.connect();
  } catch (error) {
    throw postgresFailure(server.url, error);
  }
}

function lostError({ url }: Server): WaymarkError {
  return new WaymarkError(
    "store_unreachable",
    `The connection to the server ${redactUrl(url)} was lost.`,
  );
}

type RelayQuery = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Returns the row id of each track, in the order of the updates. */
async function storeTracks(
  query: RelayQuery,
  machine: string,
  updates: readonly RelayUpdate[],
): Promise<readonly number[]> {
  const column = <T>(pick: (update: RelayUpdate) => T) => updates.map(pick);
  const rows = await query(
    `WITH kept AS (
       INSERT INTO waymark.relayed AS r (machine, session, agent, hash, version, places, last_key, state, heard_at, xact)
       SELECT $1, session, agent, hash, version, places, last_key, state, heard_at, pg_current_xact_id()
         FROM unnest($2::text[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::text[], $8::text[], $9::bigint[])
              AS given (session, agent, hash, version, places, last_key, state, heard_at)
       ON CONFLICT (machine, md5(session), md5(agent)) DO UPDATE SET hash = excluded.hash, version = excluded.version,
              places = excluded.places, last_key = excluded.last_key, state = excluded.state,
              heard_at = excluded.heard_at, xact = excluded.xact
       RETURNING id, session, agent)
     SELECT kept.id FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (session, agent, place)
       JOIN kept USING (session, agent) ORDER BY place`,
    [
      machine,
      column(({ id }) => toColumn(id.session)),
      column(({ id }) => toColumn(id.agent)),
      column(({ hash }) => hash),
      column(({ version }) => version),
      column(({ eventCount }) => eventCount),
      column(({ lastKey }) => (lastKey === undefined ? null : toColumn(lastKey))),
      column(({ state }) => state),
      column(({ updatedAt }) => Math.round(updatedAt)),
    ],
  );
  return rows.map(({ id }) => Number(id));
}

async function storeHistories(
  query: RelayQuery,
  updates: readonly RelayUpdate[],
  rows: readonly number[],
): Promise<void> {
  const replaced = rows.filter((_, index) => updates[index]?.replacesHistory);
  if (replaced.length > 0)
    await query("DELETE FROM waymark.relayed_events WHERE track = ANY ($1::bigint[])", [replaced]);
  const added = updates.flatMap(({ events, eventCount }, index) =>
    events.map((event, n) => {
      const seq = eventCount - events.length + n + 1;
      return {
        row: rows[index],
        seq,
        key: toColumn(event.key),
        body: JSON.stringify({ ...event, seq }),
      };
    }),
  );
  if (added.length === 0) return;
  await query(
    `INSERT INTO waymark.relayed_events (track, place, key, body)
     SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[])
     ON CONFLICT (track, md5(key)) DO NOTHING`,
    [
      added.map(({ row }) => row),
      added.map(({ seq }) => seq),
      added.map(({ key }) => key),
      added.map(({ body }) => body),
    ],
  );
}
