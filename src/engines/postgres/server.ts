/**
 * engines/postgres: PostgreSQL for stores, tasks and relayed sessions. `server` owns the pool and
 * migrates, `listen` and `watch` deliver changes of other machines, `failure` maps error codes.
 */
import { setTimeout } from "node:timers/promises";
import { redactUrl } from "../../core/text/redact.ts";
import { closedError } from "../storage/failure.ts";
import { isConflict, isConnectionLost, postgresFailure } from "./failure.ts";
import { migrate } from "./migrate.ts";

export type Row = Readonly<Record<string, unknown>>;
/** A `name` makes it a prepared statement of the connection, for frequent queries. */
export type Query = (
  sql: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<readonly Row[]>;

export interface ServerOptions {
  /** Maximum number of connections (default: 10). */
  readonly connections?: number;
  /** How long a call retries an unreachable server, in milliseconds (default: 15 s). */
  readonly waitLimit?: number;
  /** Statement timeout in milliseconds (default: 10 s). */
  readonly statementLimit?: number;
}

/** A connection outside of the pool. */
export interface Connection {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  on(event: "error" | "notification", listener: () => void): unknown;
  once(event: "error", listener: () => void): unknown;
  removeAllListeners(event: string): unknown;
  release(broken: boolean): void;
}

/** A PostgreSQL server. Calls are retried while it is unreachable. */
export interface Server {
  readonly url: string;
  /** One statement, retried after a lost connection. */
  once(work: (query: Query) => Promise<readonly Row[]>): Promise<readonly Row[]>;
  /**
   * Runs `work`, and again on a conflict or a lost connection. After a lost connection it is unknown
   * whether it took effect, so `work` must check that first. `transaction` runs it in one transaction.
   */
  attempt<T>(work: (query: Query, tries: number) => Promise<T>, transaction: boolean): Promise<T>;
  /** A dedicated connection, until it is released. */
  connect(): Promise<Connection>;
  close(): Promise<void>;
}

const WAIT_LIMIT = 15_000;
const CONNECT_LIMIT = 5_000;
const STATEMENT_LIMIT = 10_000;

/**
 * Overrides defaults of the role, the database or the server. Sent as one string after connecting:
 * poolers refuse most startup parameters.
 */
function settingsOf(statementLimit: number): string {
  const settings = {
    // Unqualified names are the built-in ones. Waymark qualifies its own.
    search_path: "pg_catalog, pg_temp",
    // After waiting for a lock, a statement must see what was committed meanwhile.
    default_transaction_isolation: "'read committed'",
    statement_timeout: statementLimit,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: statementLimit,
    timezone: "'UTC'",
    datestyle: "'ISO, YMD'",
    standard_conforming_strings: "on",
    // If off, a null in an array would become the text "NULL".
    array_nulls: "on",
    transform_null_equals: "off",
  };
  const each = Object.entries(settings).map(([name, value]) => `SET ${name} = ${value}`);
  // Acknowledged writes must be durable; stricter levels are kept.
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
    // The server's own timeout does not help if the server no longer answers.
    query_timeout: statementLimit + Math.min(statementLimit, CONNECT_LIMIT),
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "waymark",
    // The pool handles errors until this resolves: a server can accept and close a connection at once.
    onConnect: (client) => client.query(settingsOf(statementLimit)),
  });
  // An idle connection that breaks is replaced when the next call needs one.
  pool.on("error", () => undefined);
  let closed = false;
  // Opening an unreachable store fails sooner than later calls.
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
    // A connection can break between two statements; without a listener the process would crash.
    const markBroken = () => {
      broken = true;
    };
    client.on("error", markBroken);
    const query: Query = async (text, values = [], name) =>
      (await client.query({ text, values: values as unknown[], ...(name && { name }) })).rows;
    try {
      if (!transaction) return await work(query);
      await query("BEGIN");
      const answer = await work(query);
      await query("COMMIT");
      return answer;
    } catch (error) {
      if (isConnectionLost(error)) broken = true;
      else if (transaction) {
        await query("ROLLBACK").catch(() => {
          broken = true;
        });
      }
      throw error;
    } finally {
      client.off("error", markBroken);
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
        const again = isConnectionLost(error) || isConflict(error);
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
