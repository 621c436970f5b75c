import type { Event } from "../../core/model.ts";
import type { Arrived, Relayed } from "../../core/views/relayed.ts";
import { createListening } from "../../engines/postgres/listen.ts";
import type { Row, Server } from "../../engines/postgres/server.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { RELAY_CHANNEL } from "./connection.ts";

/** A track of another machine, and where its history stands. */
export interface RelayedTrack extends Arrived {
  readonly row: number;
  readonly hash: string;
}

/** What the other machines relay, kept true. */
export interface RelayedTracks {
  tracks(): readonly RelayedTrack[];
  stop(): void;
}

export interface FollowRelayedOptions {
  /** The machine that looks: its own tracks it knows better. */
  readonly except?: string | undefined;
  readonly onChange: () => void;
  readonly onProblem: (message: string) => void;
  readonly every?: number;
}

const EVERY = 1_000;
const COMPARE = 30_000;
/** More than anybody looks through; the newest come first. */
export const MOST = 2_000;

const TRACKS = `SELECT r.id, r.hash, r.state, m.name, m.ahead, waymark.now_ms() AS now
   FROM waymark.relayed r JOIN waymark.machines m ON m.id = r.machine WHERE m.id IS DISTINCT FROM $1`;

/** The newest tracks of every other machine. */
export async function readRelayed(
  server: Server,
  except: string | undefined,
): Promise<readonly RelayedTrack[]> {
  const rows = await server.once((query) =>
    query(`${TRACKS} ORDER BY r.heard_at DESC LIMIT $2`, [except ?? null, MOST]),
  );
  return rows.map(trackOf);
}

/** Everything that happened to the list of a relayed track, oldest first. */
export async function relayedEvents(server: Server, row: number): Promise<readonly Event[]> {
  const rows = await server.once((query) =>
    query(
      `SELECT e.body, m.ahead, waymark.now_ms() AS now FROM waymark.relayed_events e
         JOIN waymark.relayed r ON r.id = e.track JOIN waymark.machines m ON m.id = r.machine
        WHERE e.track = $1 ORDER BY e.place`,
      [row],
    ),
  );
  return rows.map((each) => readByOurClock(String(each.body), each));
}

/**
 * Follows what is relayed. Each look asks for every row that was written by a transaction which had
 * not ended at the look before. After a crash a server may count transactions from a little earlier
 * on; so, from time to time, all rows are compared by their hashes.
 */
export async function followRelayed(
  server: Server,
  options: FollowRelayedOptions,
): Promise<RelayedTracks> {
  const { except = null, onChange, onProblem, every = EVERY } = options;
  const known = new Map<number, RelayedTrack>();
  let horizon = "";
  let comparedAt = performance.now();
  let looking: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let failed = false;

  const ask = (sql: string, values: readonly unknown[]) =>
    server.once((query) => query(sql, values));
  const readHorizon = async (): Promise<string> => {
    const [row] = await ask("SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon", []);
    return String(row?.horizon);
  };
  const readNews = async (): Promise<boolean> => {
    // Of before the reading: what was not finished then is asked for once more.
    const next = await readHorizon();
    const rows = await ask(`${TRACKS} AND r.xact >= $2::xid8 ORDER BY r.heard_at DESC LIMIT $3`, [
      except,
      horizon,
      MOST,
    ]);
    horizon = next;
    const fresh = rows.filter((row) => known.get(Number(row.id))?.hash !== row.hash);
    for (const row of fresh) known.set(Number(row.id), trackOf(row));
    return fresh.length > 0;
  };
  const compareAll = async (): Promise<boolean> => {
    const rows = await ask(
      "SELECT id, hash FROM waymark.relayed WHERE machine IS DISTINCT FROM $1 ORDER BY heard_at DESC LIMIT $2",
      [except, MOST],
    );
    const there = new Map(rows.map((row) => [Number(row.id), row.hash]));
    const gone = [...known.keys()].filter((row) => !there.has(row));
    for (const row of gone) known.delete(row);
    const other = [...there].flatMap(([row, hash]) => (known.get(row)?.hash === hash ? [] : [row]));
    if (other.length > 0)
      for (const row of await ask(`${TRACKS} AND r.id = ANY ($2::bigint[])`, [except, other]))
        known.set(Number(row.id), trackOf(row));
    return gone.length + other.length > 0;
  };
  const read = async (): Promise<void> => {
    const news = await readNews();
    const isTime = performance.now() - comparedAt >= COMPARE || known.size > MOST;
    if (isTime) comparedAt = performance.now();
    if ((isTime && (await compareAll())) || news) onChange();
  };
  const look = (): Promise<void> => {
    again = looking !== undefined;
    looking ??= read()
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
        looking = undefined;
        if (again && !stopped) void look();
      });
    return looking;
  };

  horizon = await readHorizon();
  for (const track of await readRelayed(server, options.except)) known.set(track.row, track);
  const listening = createListening(server, RELAY_CHANNEL, () => void look());
  listening.begin();
  const timer = setInterval(() => {
    listening.begin();
    void look();
  }, every);
  return {
    tracks: () => [...known.values()],
    stop() {
      stopped = true;
      clearInterval(timer);
      listening.end();
    },
  };
}

function trackOf(row: Row): RelayedTrack {
  return {
    ...readByOurClock<Relayed>(String(row.state), row),
    machine: String(row.name),
    row: Number(row.id),
    hash: String(row.hash),
  };
}

/** What the way takes is no difference of clocks. */
const SAME_CLOCK = 2_000;

/** Every time in what a machine wrote is one of its clock; all of ours that are times are called so. */
const IS_TIME = /^at$|At$/;

function readByOurClock<T>(text: string, row: Row): T {
  // Both clocks are compared with the server's: how far theirs is ahead of ours.
  const ours = Date.now() - Number(row.now);
  const measured = Number(row.ahead) - ours;
  if (Math.abs(measured) < SAME_CLOCK) return JSON.parse(text);
  // In steps, so that the same time stays the same however long the way takes: things are known by it.
  const ahead = Math.round(measured / SAME_CLOCK) * SAME_CLOCK;
  return JSON.parse(text, (name, value) =>
    // Nothing that has happened is at 0.
    IS_TIME.test(name) && typeof value === "number" && value > 0 ? value - ahead : value,
  );
}
