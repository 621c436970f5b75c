import type { Event } from "../../core/model.ts";
import { createListener } from "../../engines/postgres/listen.ts";
import type { Server } from "../../engines/postgres/server.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { RELAY_CHANNEL } from "./connection.ts";
import { type RelayedTrack, readByOurClock, trackOf } from "./received.ts";

/** The tracks that other machines relay, kept up to date. */
export interface RelayedTracks {
  tracks(): readonly RelayedTrack[];
  stop(): void;
}

export interface FollowRelayedOptions {
  /** The id of this machine, whose own tracks are left out. */
  readonly except?: string | undefined;
  readonly onChange: () => void;
  readonly onProblem: (message: string) => void;
  readonly every?: number;
}

const POLL_EVERY = 1_000;
const COMPARE_EVERY = 30_000;
/** Only the newest tracks are read. */
export const MAX_TRACKS = 2_000;

const TRACKS = `SELECT r.id, r.hash, r.state, m.name, m.ahead, waymark.now_ms() AS now
   FROM waymark.relayed r JOIN waymark.machines m ON m.id = r.machine WHERE m.id IS DISTINCT FROM $1`;

/** The newest tracks of every other machine. */
export async function readRelayed(
  server: Server,
  except: string | undefined,
): Promise<readonly RelayedTrack[]> {
  const rows = await server.once((query) =>
    query(`${TRACKS} ORDER BY r.heard_at DESC LIMIT $2`, [except ?? null, MAX_TRACKS]),
  );
  return rows.map((row) => trackOf(row, Date.now()));
}

/** The events of a relayed list, oldest first. */
export async function relayedEvents(server: Server, row: number): Promise<readonly Event[]> {
  const rows = await server.once((query) =>
    query(
      `SELECT e.body, m.ahead, waymark.now_ms() AS now FROM waymark.relayed_events e
         JOIN waymark.relayed r ON r.id = e.track JOIN waymark.machines m ON m.id = r.machine
        WHERE e.track = $1 ORDER BY e.place`,
      [row],
    ),
  );
  return rows.map((each) => readByOurClock(String(each.body), each, Date.now()));
}

/**
 * Follows relayed tracks. Each poll reads the rows written by transactions that had not ended at the
 * poll before. After a crash, a server may repeat transaction ids; so every 30 s all rows are compared
 * by their hashes.
 */
export async function followRelayed(
  server: Server,
  options: FollowRelayedOptions,
): Promise<RelayedTracks> {
  const { except = null, onChange, onProblem, every = POLL_EVERY } = options;
  const known = new Map<number, RelayedTrack>();
  let horizon = "";
  let comparedAt = performance.now();
  let polling: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let failed = false;

  const ask = (sql: string, values: readonly unknown[]) =>
    server.once((query) => query(sql, values));
  const readHorizon = async (): Promise<string> => {
    const [row] = await ask("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon", []);
    return String(row?.horizon);
  };
  const readChanged = async (): Promise<boolean> => {
    // Taken before the rows are read: transactions that are open now are read again next time.
    const next = await readHorizon();
    const rows = await ask(`${TRACKS} AND r.xact >= $2::xid8 ORDER BY r.heard_at DESC LIMIT $3`, [
      except,
      horizon,
      MAX_TRACKS,
    ]);
    horizon = next;
    const fresh = rows.filter((row) => known.get(Number(row.id))?.hash !== row.hash);
    for (const row of fresh) known.set(Number(row.id), trackOf(row, Date.now()));
    return fresh.length > 0;
  };
  const compareAll = async (): Promise<boolean> => {
    const rows = await ask(
      "SELECT id, hash FROM waymark.relayed WHERE machine IS DISTINCT FROM $1 ORDER BY heard_at DESC LIMIT $2",
      [except, MAX_TRACKS],
    );
    const current = new Map(rows.map((row) => [Number(row.id), row.hash]));
    const removed = [...known.keys()].filter((row) => !current.has(row));
    for (const row of removed) known.delete(row);
    const changed = [...current].flatMap(([row, hash]) =>
      known.get(row)?.hash === hash ? [] : [row],
    );
    if (changed.length > 0)
      for (const row of await ask(`${TRACKS} AND r.id = ANY ($2::bigint[])`, [except, changed]))
        known.set(Number(row.id), trackOf(row, Date.now()));
    return removed.length + changed.length > 0;
  };
  const read = async (): Promise<void> => {
    const changed = await readChanged();
    const isDue = performance.now() - comparedAt >= COMPARE_EVERY || known.size > MAX_TRACKS;
    if (isDue) comparedAt = performance.now();
    if ((isDue && (await compareAll())) || changed) onChange();
  };
  const poll = (): Promise<void> => {
    again = polling !== undefined;
    polling ??= read()
      .then(
        () => {
          failed = false;
        },
        (error: unknown) => {
          if (!failed && !stopped) onProblem(redactedMessage(error));
          failed = true;
        },
      )
      .finally(() => {
        polling = undefined;
        if (again && !stopped) void poll();
      });
    return polling;
  };

  horizon = await readHorizon();
  for (const track of await readRelayed(server, options.except)) known.set(track.row, track);
  const listener = createListener(server, RELAY_CHANNEL, () => void poll());
  listener.start();
  const timer = setInterval(() => {
    listener.start();
    void poll();
  }, every);
  return {
    tracks: () => [...known.values()],
    stop() {
      stopped = true;
      clearInterval(timer);
      listener.stop();
    },
  };
}
