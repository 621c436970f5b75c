import { randomUUID } from "node:crypto";
import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { WaymarkError } from "../../core/error.ts";
import type { Event, TrackId } from "../../core/model.ts";
import type { Server } from "../../engines/postgres/server.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import {
  type MachineName,
  openRelayConnection,
  type RelayConnection,
  type RelayHead,
  type RelayUpdate,
} from "./connection.ts";
import { type LocalTrack, relayUpdateOf } from "./relay-update.ts";

export interface Sent {
  /** The name of the machine on the server. */
  readonly machine: string;
  readonly tracks: number;
  readonly events: number;
}

export interface SenderOptions {
  readonly machine: MachineName;
  openServer(): Promise<Server>;
  keyOf(id: TrackId): string;
  /** The tracks of this machine, newest first. */
  tracks(): Iterable<readonly [key: string, track: LocalTrack]>;
  /** Connected; `machine` is the name on the server. */
  onConnected(machine: string): void;
  onSent(sent: Sent): void;
  /** The server is unreachable, or another relay of this machine is connected. */
  onWaiting(reason: string, waiting: number): void;
  /** End when everything was sent once. */
  readonly once?: boolean;
  /** Milliseconds between heartbeats while nothing changes. */
  readonly heartbeat?: number;
}

/** Sends the tracks of a machine to the server and keeps them up to date there. */
export interface Sender {
  /** The track changed; `event` if it was a change of its list. */
  note(key: string, event?: Event): void;
  /** Settles when the sender has ended. */
  readonly ended: Promise<void>;
  /** Sends what is pending, then ends. The second call ends at once. */
  end(): void;
}

const BATCH = 50;
const BATCH_CHARACTERS = 1_000_000;
const EVERY = 250;
const HEARTBEAT = 20_000;
const MIN_PAUSE = 500;
const MAX_PAUSE = 30_000;
/** Pending events of a track; beyond that, its history is read again. */
const MAX_EVENTS = 200;

/**
 * Only the keys of changed tracks are pending; the tracks are read when they are sent, so a server that
 * is unreachable for long costs no memory. On each connection the server says what it has, so it does
 * not matter whether the last updates arrived before the connection was lost.
 */
export function startSender(options: SenderOptions): Sender {
  const { machine, keyOf, onSent, onWaiting, heartbeat = HEARTBEAT } = options;
  const relay = `waymark relay ${randomUUID()}`;
  const changed = new Set<string>();
  const received = new Map<string, Event[]>();
  let ending = options.once === true;
  let aborted = false;
  let wakeForChange: () => void = () => undefined;
  let wakeForEnd: () => void = () => undefined;
  let wait = MIN_PAUSE;
  let server: Server | undefined;

  /** Changes do not shorten the wait for an unreachable server. */
  const pause = (ms: number, forChange: boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = startTimer(resolve, ms);
      wakeForEnd = () => {
        clearTimeout(timer);
        resolve();
      };
      wakeForChange = forChange ? wakeForEnd : () => undefined;
    });

  /** Builds the updates of a batch; tracks that would make it too large or too slow are left for the next. */
  async function gather(
    keys: readonly string[],
    tracks: ReadonlyMap<string, LocalTrack>,
    heads: ReadonlyMap<string, RelayHead>,
  ): Promise<ReadonlyMap<string, RelayUpdate | undefined>> {
    const found = new Map<string, RelayUpdate | undefined>();
    const start = performance.now();
    let characters = 0;
    for (const key of keys) {
      if (characters > BATCH_CHARACTERS || performance.now() - start > heartbeat) break;
      const track = tracks.get(key);
      const update = track && (await relayUpdateOf(track, heads.get(key), received.get(key) ?? []));
      found.set(key, update);
      characters += update?.state.length ?? 0;
    }
    return found;
  }

  /** Sends all changed tracks. Returns whether there was anything to send. */
  async function flush(
    connection: RelayConnection,
    heads: Map<string, RelayHead>,
  ): Promise<boolean> {
    let isSent = false;
    while (changed.size > 0 && !aborted) {
      const tracks = new Map(options.tracks());
      const keys = [...changed].slice(0, BATCH);
      // Deleted when the tracks are read: later changes are sent again.
      for (const key of keys) changed.delete(key);
      try {
        const found = await gather(keys, tracks, heads);
        const batch = [...found.values()].filter((update) => update !== undefined);
        if (batch.length > 0) await connection.send(batch);
        for (const key of keys)
          if (found.has(key)) forget(key, tracks.get(key)?.state.live.track.version ?? 0);
          else changed.add(key);
        for (const { id, hash, version, eventCount, lastKey } of batch)
          heads.set(keyOf(id), {
            hash,
            version,
            eventCount,
            ...(lastKey !== undefined && { lastKey }),
          });
        if (batch.length > 0)
          onSent({
            machine: connection.name,
            tracks: batch.length,
            events: batch.reduce((sum, { events }) => sum + events.length, 0),
          });
        isSent ||= batch.length > 0;
      } catch (error) {
        for (const key of keys) changed.add(key);
        throw error;
      }
    }
    return isSent;
  }

  function forget(key: string, version: number): void {
    const left = received.get(key)?.filter(({ seq }) => seq > version) ?? [];
    if (left.length > 0) received.set(key, left);
    else received.delete(key);
  }

  async function send(): Promise<void> {
    server ??= await options.openServer();
    let isLost = false;
    const connection = await openRelayConnection(server, {
      machine,
      relay,
      idleTimeout: 3 * heartbeat,
      keyOf,
      onLost() {
        isLost = true;
        wakeForChange();
      },
    });
    if (!connection)
      throw new WaymarkError(
        "relay_runs",
        `Another relay of this machine is running as ${machine.name}; this one starts when it ends.`,
      );
    try {
      const heads = new Map(await connection.heads());
      for (const [key] of options.tracks()) changed.add(key);
      wait = MIN_PAUSE;
      options.onConnected(connection.name);
      let shownAt = performance.now();
      for (;;) {
        if (await flush(connection, heads)) shownAt = performance.now();
        if (ending || aborted) return;
        if (isLost || performance.now() - shownAt > heartbeat) {
          await connection.send([]);
          shownAt = performance.now();
        }
        await setTimeout(EVERY);
        if (changed.size === 0 && !ending && !isLost) await pause(heartbeat, true);
      }
    } finally {
      connection.close();
    }
  }

  async function run(): Promise<void> {
    while (!aborted) {
      try {
        await send();
        return;
      } catch (error) {
        // A wrong URL stays wrong.
        if (!isTransient(error) || options.once) throw error;
        onWaiting(redactedMessage(error), changed.size);
        if (ending) return;
      }
      await pause(wait * (0.75 + Math.random() / 2), false);
      wait = Math.min(MAX_PAUSE, wait * 2);
    }
  }

  const ended = run().finally(() => server?.close());
  return {
    note(key, event) {
      changed.add(key);
      if (event) {
        const events = received.get(key) ?? [];
        events.push(event);
        received.set(key, events.slice(-MAX_EVENTS));
      }
      wakeForChange();
    },
    ended,
    end() {
      if (ending) aborted = true;
      ending = true;
      wakeForEnd();
    },
  };
}

const TRANSIENT = new Set([
  "store_unreachable",
  "store_busy",
  "store_read_only",
  "store_failed",
  "relay_runs",
]);

function isTransient(error: unknown): boolean {
  return error instanceof WaymarkError && TRANSIENT.has(error.code);
}
