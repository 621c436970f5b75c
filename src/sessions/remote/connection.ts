import { WaymarkError } from "../../core/error.ts";
import type { Event, TrackId } from "../../core/model.ts";
import { redactUrl } from "../../core/text/redact.ts";
import { postgresFailure } from "../../engines/postgres/failure.ts";
import { notify } from "../../engines/postgres/listen.ts";
import type { Connection, Row, Server } from "../../engines/postgres/server.ts";
import { fromColumn, toColumn } from "../../engines/storage/column.ts";

export const RELAY_CHANNEL = "waymark_relayed";

/** A machine by what it is, and by what people call it. */
export interface MachineName {
  readonly id: string;
  readonly name: string;
}

/** How far the server is with a track. */
export interface Head {
  readonly hash: string;
  /** The version of the list that it has. */
  readonly version: number;
  /** How many events of its history it has, and the key of the last. */
  readonly places: number;
  readonly lastKey?: string;
}

/** What is sent of one track. */
export interface Parcel extends Head {
  readonly id: TrackId;
  /** What others may see of it, as JSON. */
  readonly state: string;
  readonly updatedAt: number;
  /** The events that follow those that are there; all of them if it begins anew. */
  readonly events: readonly Event[];
  readonly anew: boolean;
}

/** The way of one machine to the server; nobody else writes for this machine while it is open. */
export interface Line {
  /** What the machine is called on the server. */
  readonly name: string;
  /** What the server has of the machine, by track. */
  heads(): Promise<ReadonlyMap<string, Head>>;
  /** All of them or none; when this returns they are durable. With none it only shows that we live. */
  send(parcels: readonly Parcel[]): Promise<void>;
  close(): void;
}

interface LineOptions {
  readonly machine: MachineName;
  /** Tells this relay from all others, in up to 63 characters. */
  readonly relay: string;
  /** Milliseconds without a word of ours after which the server gives the line up. */
  readonly silence: number;
  keyOf(id: TrackId): string;
  onLost(): void;
}

/**
 * Opens the line of a machine; nothing while another relay has it. The lock belongs to the
 * connection that everything is sent over: with one, the other is lost.
 */
export async function openLine(
  server: Server,
  { machine, relay, silence, keyOf, onLost }: LineOptions,
): Promise<Line | undefined> {
  const client = await connected(server);
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    client.removeAllListeners("error");
    client.on("error", () => undefined);
    // Not given back for others to use: the lock goes with the connection.
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

  const settings = settingsFor(relay, silence);
  await query(SET_THOSE_KNOWN, [Object.keys(settings), Object.values(settings)]);
  const [lock] = await query("SELECT pg_try_advisory_lock(hashtextextended($1, 7)) AS ours", [
    machine.id,
  ]);
  if (!lock?.ours) {
    const former = await query(END_FORMER, [relay]);
    close();
    if (former.length > 0) throw lostError(server);
    return undefined;
  }
  // Whoever comes second under a name is called a little longer.
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
            places: Number(row.places),
            ...(row.last_key !== null && { lastKey: fromColumn(row.last_key) }),
          },
        ]),
      );
    },

    async send(parcels) {
      await query("BEGIN");
      if (parcels.length > 0)
        await keepHistories(query, parcels, await keepTracks(query, machine.id, parcels));
      await query(
        "UPDATE waymark.machines SET seen_at = waymark.now_ms(), ahead = $2::bigint - waymark.now_ms() WHERE id = $1",
        [machine.id, Date.now()],
      );
      await query("COMMIT");
      if (parcels.length > 0) await notify(server, RELAY_CHANNEL);
    },

    close,
  };
}

/** A server does not know every setting: the first one came with PostgreSQL 14. */
const SET_THOSE_KNOWN = `SELECT set_config(name, value, false)
   FROM unnest($1::text[], $2::text[]) AS given (name, value) JOIN pg_settings USING (name)`;

/** A connection that only we lost would keep the lock until the server noticed, for hours. */
const END_FORMER = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = $1 AND pid <> pg_backend_pid()`;

function settingsFor(relay: string, silence: number): Readonly<Record<string, string | number>> {
  const seconds = (part: number): number => Math.ceil(silence / part / 1_000);
  return {
    idle_session_timeout: silence,
    idle_in_transaction_session_timeout: silence,
    tcp_keepalives_idle: seconds(3),
    tcp_keepalives_interval: seconds(6),
    tcp_keepalives_count: 4,
    tcp_user_timeout: silence,
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

type LineQuery = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Answers the number of each track on the server, in the order of the parcels. */
async function keepTracks(
  query: LineQuery,
  machine: string,
  parcels: readonly Parcel[],
): Promise<readonly number[]> {
  const column = <T>(pick: (parcel: Parcel) => T) => parcels.map(pick);
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
      column(({ places }) => places),
      column(({ lastKey }) => (lastKey === undefined ? null : toColumn(lastKey))),
      column(({ state }) => state),
      column(({ updatedAt }) => Math.round(updatedAt)),
    ],
  );
  return rows.map(({ id }) => Number(id));
}

async function keepHistories(
  query: LineQuery,
  parcels: readonly Parcel[],
  rows: readonly number[],
): Promise<void> {
  const anew = rows.filter((_, place) => parcels[place]?.anew);
  if (anew.length > 0)
    await query("DELETE FROM waymark.relayed_events WHERE track = ANY ($1::bigint[])", [anew]);
  const added = parcels.flatMap(({ events, places }, place) =>
    events.map((event, n) => {
      const seq = places - events.length + n + 1;
      return {
        row: rows[place],
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
