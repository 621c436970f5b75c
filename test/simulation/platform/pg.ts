/**
 * `pg`, with a server in memory that knows the statements of the relay. Transactions take effect when they commit;
 * messages are lost with their connection, before or after the server received them; notifications are lost and doubled.
 */

import { MIGRATIONS } from "../../../src/engines/postgres/schema.ts";
import { latestVersion } from "../../../src/engines/storage/migrations.ts";
import { context, currentProcess, latency } from "../context.ts";
import type { Process } from "../scheduler.ts";
import { storeTime } from "../stores/database.ts";

type Row = Record<string, unknown>;
// biome-ignore lint/suspicious/noExplicitAny: each statement knows the types of its own values
type Values = readonly any[];

/** A row of `waymark.relayed`. */
export interface RelayedRow extends Row {
  readonly id: number;
  readonly machine: string;
  readonly session: string;
  readonly agent: string;
  readonly state: string;
  readonly version: number;
}

/** A connection as the server has it. */
interface Backend {
  readonly owner: Process;
  name: string;
  lock: string | undefined;
  /** Changes of the open transaction, and its number. */
  changes: (() => void)[] | undefined;
  xact: number | undefined;
  isListening: boolean;
  close(): void;
}

interface Database {
  readonly machines: Map<string, { name: string; ahead: number }>;
  readonly relayed: Map<string, RelayedRow>;
  readonly ids: Map<string, number>;
  readonly events: { track: number; place: number; key: string; body: string }[];
  readonly backends: Set<Backend>;
  nextXact: number;
}

let database: Database = empty();

function empty(): Database {
  return {
    machines: new Map(),
    relayed: new Map(),
    ids: new Map(),
    events: [],
    backends: new Set(),
    nextXact: 1,
  };
}

export function resetServer(): void {
  database = empty();
  clients = new Set();
}

/** The committed content of the server. */
export function serverContent(): Pick<Database, "relayed" | "events"> {
  return database;
}

const rowKey = (machine: unknown, session: unknown, agent: unknown): string =>
  JSON.stringify([machine, session, agent]);

/** The statements of `src/sessions/remote` and `src/engines/postgres`, by their beginning or a part that only they have. */
const STATEMENTS: readonly (readonly [
  RegExp,
  (values: Values, backend: Backend) => readonly Row[],
])[] = [
  [/^SET /, () => []],
  [
    /set_config\(name/,
    ([names, values], backend) => {
      backend.name = values[(names as string[]).indexOf("application_name")] as string;
      return [];
    },
  ],
  [/to_regclass/, () => [{ exists: true }]],
  [/max\(version\)/, () => [{ version: latestVersion(MIGRATIONS) }]],
  [/^BEGIN/, (_, backend) => begin(backend)],
  [/^ROLLBACK/, (_, backend) => endTransaction(backend)],
  [
    /^COMMIT/,
    (_, backend) => {
      for (const change of backend.changes ?? []) change();
      return endTransaction(backend);
    },
  ],
  [
    /pg_try_advisory_lock/,
    ([machine], backend) => {
      const isFree = ![...database.backends].some(({ lock }) => lock === machine);
      if (isFree) backend.lock = machine;
      return [{ ours: isFree }];
    },
  ],
  [
    /pg_terminate_backend/,
    ([name], backend) => {
      const former = [...database.backends].filter(
        (each) => each.name === name && each !== backend,
      );
      for (const each of former) each.close();
      return former.map(() => ({}));
    },
  ],
  [
    /INSERT INTO waymark\.machines/,
    ([id, name, clock]) => {
      const isTaken = [...database.machines].some(
        ([other, each]) => other !== id && each.name === name,
      );
      const entry = {
        name: isTaken ? `${name}-${String(id).slice(0, 4)}` : name,
        ahead: clock - storeTime(),
      };
      database.machines.set(id, entry);
      return [{ name: entry.name }];
    },
  ],
  [
    /UPDATE waymark\.machines/,
    ([id, clock]) => {
      const machine = database.machines.get(id);
      if (machine) machine.ahead = clock - storeTime();
      return [];
    },
  ],
  [
    /FROM waymark\.relayed WHERE machine = /,
    ([machine]) => [...database.relayed.values()].filter((row) => row.machine === machine),
  ],
  [
    /INSERT INTO waymark\.relayed AS r/,
    ([machine, sessions, agents, ...columns], backend) => {
      backend.xact ??= database.nextXact++;
      const { xact } = backend;
      return (sessions as string[]).map((session, index) => {
        const [hash, version, places, last_key, state, heard_at] = columns.map(
          (column: readonly unknown[]) => column[index],
        );
        const key = rowKey(machine, session, agents[index]);
        const id = database.ids.get(key) ?? database.ids.size + 1;
        database.ids.set(key, id);
        const named = { id, machine, session, agent: agents[index] };
        const row = { ...named, hash, version, places, last_key, state, heard_at, xact };
        write(backend, () => void database.relayed.set(key, row as unknown as RelayedRow));
        return { id };
      });
    },
  ],
  [
    /DELETE FROM waymark\.relayed_events/,
    ([tracks], backend) => {
      write(backend, () => {
        const kept = database.events.filter(({ track }) => !(tracks as number[]).includes(track));
        database.events.splice(0, database.events.length, ...kept);
      });
      return [];
    },
  ],
  [
    /INSERT INTO waymark\.relayed_events/,
    ([tracks, places, keys, bodies], backend) => {
      for (const [index, track] of (tracks as number[]).entries())
        write(backend, () => {
          const key = keys[index] as string;
          if (database.events.some((each) => each.track === track && each.key === key)) return;
          database.events.push({ track, place: places[index], key, body: bodies[index] });
        });
      return [];
    },
  ],
  [/pg_snapshot_xmin/, () => [{ horizon: String(oldestOpen()) }]],
  [
    /SELECT r\.id, r\.hash, r\.state/,
    ([except, given]) =>
      others(except)
        .filter(({ id, xact }) =>
          Array.isArray(given)
            ? given.includes(id)
            : typeof given !== "string" || Number(xact) >= Number(given),
        )
        .map((row) => ({ ...row, ...clocksOf(row) })),
  ],
  [/SELECT id, hash FROM waymark\.relayed/, ([except]) => others(except)],
  [
    /SELECT e\.body/,
    ([track]) => {
      const row = [...database.relayed.values()].find(({ id }) => id === track);
      if (!row) return [];
      const found = database.events.filter((each) => each.track === track);
      return found
        .toSorted((a, b) => a.place - b.place)
        .map(({ body }) => ({ body, ...clocksOf(row) }));
    },
  ],
  [/^LISTEN/, (_, backend) => listen(backend)],
  [/pg_notify/, () => []],
];

function write({ changes }: Backend, change: () => void): void {
  if (changes) changes.push(change);
  else change();
}

function begin(backend: Backend): readonly Row[] {
  backend.changes = [];
  return [];
}

function endTransaction(backend: Backend): readonly Row[] {
  backend.changes = undefined;
  backend.xact = undefined;
  return [];
}

function listen(backend: Backend): readonly Row[] {
  backend.isListening = true;
  return [];
}

function oldestOpen(): number {
  return Math.min(database.nextXact, ...[...database.backends].flatMap(({ xact }) => xact ?? []));
}

function others(except: unknown): readonly RelayedRow[] {
  return [...database.relayed.values()]
    .filter(({ machine }) => machine !== except)
    .sort((a, b) => Number(b.heard_at) - Number(a.heard_at));
}

function clocksOf({ machine }: RelayedRow): Row {
  return { ...database.machines.get(machine), now: storeTime() };
}

type Listener = (...given: unknown[]) => void;

/** How long the server keeps a connection that only the client lost: the idle timeout of the relay. */
const HALF_OPEN = 60_000;

class Client {
  readonly #owner: Process = currentProcess();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #backend: Backend;
  #isLost = false;

  constructor() {
    this.#backend = {
      owner: this.#owner,
      name: "",
      lock: undefined,
      changes: undefined,
      xact: undefined,
      isListening: false,
      close: () => {
        database.backends.delete(this.#backend);
        endTransaction(this.#backend);
        this.#backend.lock = undefined;
      },
    };
    database.backends.add(this.#backend);
  }

  get isUsable(): boolean {
    return !this.#isLost && database.backends.has(this.#backend);
  }

  async query(
    given: string | { readonly text: string; readonly values?: readonly unknown[] },
    more: readonly unknown[] = [],
  ): Promise<{ readonly rows: readonly Row[] }> {
    const { text, values = more } = typeof given === "string" ? { text: given } : given;
    const sql = text.trim();
    const label = sql.slice(0, 40).replace(/\s+/g, " ");
    await this.#travel(`send ${label}`);
    const statement = STATEMENTS.find(([pattern]) => pattern.test(sql));
    if (!statement) throw new Error(`The simulated server does not know: ${sql}`);
    closeAbandoned();
    const rows = statement[1](values, this.#backend);
    if (sql.includes("pg_notify")) notifyAll();
    await this.#travel(`receive ${label}`);
    return { rows };
  }

  async #travel(label: string): Promise<void> {
    const { random, scheduler, faults } = context();
    await new Promise<void>((resolve) => {
      scheduler.later(latency(), label, resolve, this.#owner);
    });
    if (!this.isUsable || random.chance(faults.lostMessages)) {
      this.lose();
      throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    }
  }

  /** The client loses its connection; the server may notice it only later. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const { random, scheduler, note } = context();
    note("a connection to the server is lost");
    if (random.chance(0.5)) this.#backend.close();
    else scheduler.later(HALF_OPEN, "the server closes a lost connection", this.#backend.close);
    this.#emit("error", new Error("Connection terminated unexpectedly"));
  }

  notify(): void {
    const { random, scheduler, faults } = context();
    if (!this.#backend.isListening || random.chance(faults.lostFileEvents)) return;
    for (let copies = random.chance(0.1) ? 2 : 1; copies > 0; copies--)
      scheduler.later(latency(), "a notification", () => this.#emit("notification"), this.#owner);
  }

  on(event: string, listener: Listener): this {
    const all = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, all.add(listener));
    return this;
  }
  once(event: string, listener: Listener): this {
    const own: Listener = (...given) => {
      this.off(event, own);
      listener(...given);
    };
    return this.on(event, own);
  }
  off(event: string, listener: Listener): this {
    this.#listeners.get(event)?.delete(listener);
    return this;
  }
  removeAllListeners(event: string): this {
    this.#listeners.delete(event);
    return this;
  }
  #emit(event: string, ...given: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(...given);
  }

  release(isBroken?: boolean): void {
    if (isBroken || !this.isUsable) this.end();
    else this.onIdle();
  }
  /** Set by the pool. */
  onIdle = (): void => undefined;
  end(): void {
    this.#isLost = true;
    clients.delete(this);
    this.#backend.close();
  }
}

let clients = new Set<Client>();

function notifyAll(): void {
  for (const client of clients) client.notify();
}

/** The server notices the end of a killed process late. */
function closeAbandoned(): void {
  for (const { owner, close } of database.backends)
    if (!owner.isAlive && context().random.chance(0.3)) close();
}

interface PoolOptions {
  onConnect?(client: Client): unknown;
}

class Pool {
  readonly #options: PoolOptions;
  readonly #own = new Set<Client>();
  #idle: Client[] = [];

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  on(): this {
    return this;
  }

  async connect(): Promise<Client> {
    this.#idle = this.#idle.filter(({ isUsable }) => isUsable);
    const idle = this.#idle.pop();
    if (idle) return idle;
    const { scheduler, random, faults } = context();
    const owner = currentProcess();
    await new Promise<void>((resolve) => {
      scheduler.later(latency(), "connect to the server", resolve, owner);
    });
    if (random.chance(faults.lostMessages))
      throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const client = new Client();
    client.onIdle = () => void this.#idle.push(client);
    clients.add(client);
    this.#own.add(client);
    await this.#options.onConnect?.(client);
    return client;
  }

  async end(): Promise<void> {
    for (const client of this.#own) client.end();
  }
}

// biome-ignore lint/style/noDefaultExport: as `pg` has it
export default { Pool };
