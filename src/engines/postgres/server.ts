/**
 * engines/postgres: PostgreSQL for stores, tasks and relayed sessions. `server` owns the pool and
 * migrates, `listen` and `watch` deliver changes of other machines, `failure` maps error codes.
 */
import { setTimeout } from "node:timers/promises";
import { redactUrl } from "../../core/text/redact.ts";
import { closedError } from "../storage/failure.ts";
import { isConflict, isLost, postgresFailure } from "./failure.ts";
import { migrate } from "./migrate.ts";

export type Row = Readonly<Record<string, unknown>>;
/** With a name the server keeps the statement ready for its connection; for what is asked all the time. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<readonly Row[]>;

export interface ServerOptions {
  /** Connections at most; 10 unless told. */
  readonly connections?: number;
  /** Milliseconds that a call waits for a server that is gone before it fails. */
  readonly waitLimit?: number;
  /** Milliseconds that the server may take for a statement; 10 seconds unless told. */
  readonly statementLimit?: number;
}

/** A connection that somebody keeps for longer. */
export interface Connection {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  on(event: "error" | "notification", listener: () => void): unknown;
  once(event: "error", listener: () => void): unknown;
  removeAllListeners(event: string): unknown;
  release(broken: boolean): void;
}

/** A PostgreSQL server that may go away and come back. */
export interface Server {
  readonly url: string;
  /** One statement, tried again when the server was gone. */
  once(work: (query: Query) => Promise<readonly Row[]>): Promise<readonly Row[]>;
  /**
   * Work that may be tried again: on a conflict, and when it is unknown whether it took effect.
   * So it must first look whether it did. `transaction` makes all its statements one.
   */
  attempt<T>(work: (query: Query, tries: number) => Promise<T>, transaction: boolean): Promise<T>;
  /** A connection of its own, until it is released. */
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

const WAIT_LIMIT = 15_000;
const CONNECT_LIMIT = 5_000;
const STATEMENT_LIMIT = 10_000;

/**
 * Sets what the defaults of a role, a database or the server could change. Sent as one string after
 * connecting: poolers refuse most startup parameters.
 */
function settingsOf(statementLimit: number): string {
  const settings = {
    // First, so that unqualified names are always the built-in ones. Waymark qualifies its own.
    search_path: "pg_catalog, pg_temp",
    // After a wait for a lock, a statement must see what others committed meanwhile.
    default_transaction_isolation: "'read committed'",
    statement_timeout: statementLimit,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: statementLimit,
    timezone: "'UTC'",
    datestyle: "'ISO, YMD'",
    standard_conforming_strings: "on",
    // Off, a missing name in a list would become the text "NULL".
    array_nulls: "on",
    transform_null_equals: "off",
  };
  const each = Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
  // Acknowledged writes are durable; stricter levels stay.
  const durable =
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";
  return [...each, durable].join("; ");
}

export async function openServer(url: string, options: ServerOptions = {}): Promise<Server> {
  const { connections = 10, waitLimit = WAIT_LIMIT, statementLimit = STATEMENT_LIMIT } = options;
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: Math.min(waitLimit, CONNECT_LIMIT),
    statement_timeout: statementLimit,
    // The server's own limit does not help when the server no longer answers at all.
    query_timeout: statementLimit + Math.min(statementLimit, CONNECT_LIMIT),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "waymark",
    // The pool hears what breaks until this is done: a server can greet and dismiss in one breath.
    onConnect: (client) => client.query(settingsOf(statementLimit)),
  });
  // A connection that breaks while nobody uses it is replaced when the next call needs one.
  pool.on("error", () => undefined);
  let closed = false;
  // Who opens a store that is not there wants to hear of it soon.
  let patience = Math.min(waitLimit, CONNECT_LIMIT);

  function assertOpen(): void {
    if (closed) throw closedError(`The store ${redactUrl(url)}`);
  }

  async function withClient<T>(
    work: (query: Query) => Promise<T>,
    transaction: boolean,
  ): Promise<T> {
    const client = await pool.connect();
    let broken = false;
    // A connection can break between two statements, and nobody would hear of it.
    const note = () => {
      broken = true;
    };
    client.on("error", note);
    const query: Query = async (text, values = [], name) =>
      (await client.query({ text, values: values as unknown[], ...(name && { name }) })).rows;
    try {
      if (!transaction) return await work(query);
      await query("BEGIN");
      const answer = await work(query);
      await query("COMMIT");
      return answer;
    } catch (error) {
      if (isLost(error)) broken = true;
      else if (transaction) {
        await query("ROLLBACK").catch(() => {
          broken = true;
        });
      }
      throw error;
    } finally {
      client.off("error", note);
      client.release(broken);
    }
  }

  async function attempt<T>(
    work: (query: Query, tries: number) => Promise<T>,
    transaction: boolean,
  ): Promise<T> {
    const start = performance.now();
    for (let tries = 0; ; tries++) {
      assertOpen();
      try {
        return await withClient((query) => work(query, tries), transaction);
      } catch (error) {
        const again = isLost(error) || isConflict(error);
        if (!again || performance.now() - start > patience) throw postgresFailure(url, error);
      }
      await setTimeout(Math.random() * Math.min(250, 2 ** Math.min(tries, 8)));
    }
  }

  const server: Server = {
    url,
    attempt,
    once: (work) => attempt((query) => work(query), false),
    connect: () => pool.connect() as Promise<Connection>,
    async close() {
      if (closed) return;
      closed = true;
      await pool.end();
    },
  };
  try {
    await migrate(server);
    patience = waitLimit;
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
