import { randomUUID } from "node:crypto";
import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import { WaymarkError } from "../../core/error.ts";
import type { Event, TrackId } from "../../core/model.ts";
import type { Server } from "../../engines/postgres/server.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { type Head, type Line, type MachineName, openLine, type Parcel } from "./connection.ts";
import { parcelOf, type Sending } from "./parcel.ts";

export interface Sent {
  /** What the machine is called on the server. */
  readonly machine: string;
  readonly tracks: number;
  readonly events: number;
}

export interface SenderOptions {
  readonly machine: MachineName;
  openServer(): Promise<Server>;
  keyOf(id: TrackId): string;
  /** The tracks of this machine, the newest first. */
  tracks(): Iterable<readonly [key: string, track: Sending]>;
  /** The line is open; what the machine is called there. */
  onLine(machine: string): void;
  onSent(sent: Sent): void;
  /** The server is away, or another relay of this machine has the line. */
  onWaiting(reason: string, waiting: number): void;
  /** Once and then no more: ends when all was sent. */
  readonly once?: boolean;
  /** Milliseconds after which the server hears of us though nothing changed. */
  readonly signOfLife?: number;
}

/** Brings the tracks of a machine to the server and keeps them true there. */
export interface Sender {
  /** Something of the track changed; the event that changed its list, where there was one. */
  note(key: string, event?: Event): void;
  /** Ends when it was told to and all was sent that can be. */
  readonly ended: Promise<void>;
  /** Sends what is there and ends; the second time it ends at once. */
  end(): void;
}

const BATCH = 50;
const BATCH_CHARACTERS = 1_000_000;
const EVERY = 250;
const SIGN_OF_LIFE = 20_000;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
/** Events of a track that are remembered while they wait; beyond, its past is read again. */
const MAX_EVENTS = 200;

/**
 * What waits is only which tracks changed: they are looked at when they are sent, so that a server
 * that is away for long costs no memory. How far it is, the server says each time the line is opened:
 * whether the last parcels arrived before it was lost need not be known.
 */
export function startSender(options: SenderOptions): Sender {
  const { machine, keyOf, onSent, onWaiting, signOfLife = SIGN_OF_LIFE } = options;
  const relay = `waymark relay ${randomUUID()}`;
  const changed = new Set<string>();
  const received = new Map<string, Event[]>();
  let ending = options.once === true;
  let aborted = false;
  let wakeForNews: () => void = () => undefined;
  let wakeForEnd: () => void = () => undefined;
  let wait = FIRST_PAUSE;
  let server: Server | undefined;

  /** News do not shorten the wait for a server that is away. */
  const pause = (ms: number, forNews: boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = startTimer(resolve, ms);
      wakeForEnd = () => {
        clearTimeout(timer);
        resolve();
      };
      wakeForNews = forNews ? wakeForEnd : () => undefined;
    });

  /** What has to be sent of each; whatever would make the batch too large or too late is left out. */
  async function gather(
    keys: readonly string[],
    tracks: ReadonlyMap<string, Sending>,
    heads: ReadonlyMap<string, Head>,
  ): Promise<ReadonlyMap<string, Parcel | undefined>> {
    const found = new Map<string, Parcel | undefined>();
    const start = performance.now();
    let characters = 0;
    for (const key of keys) {
      if (characters > BATCH_CHARACTERS || performance.now() - start > signOfLife) break;
      const track = tracks.get(key);
      const parcel = track && (await parcelOf(track, heads.get(key), received.get(key) ?? []));
      found.set(key, parcel);
      characters += parcel?.state.length ?? 0;
    }
    return found;
  }

  /** Sends everything that changed; whether there was anything to send. */
  async function flush(line: Line, heads: Map<string, Head>): Promise<boolean> {
    let isSent = false;
    while (changed.size > 0 && !aborted) {
      const tracks = new Map(options.tracks());
      const keys = [...changed].slice(0, BATCH);
      // Together with the look at the tracks: what changes from here on is sent again.
      for (const key of keys) changed.delete(key);
      try {
        const found = await gather(keys, tracks, heads);
        const batch = [...found.values()].filter((parcel) => parcel !== undefined);
        if (batch.length > 0) await line.send(batch);
        for (const key of keys)
          if (found.has(key)) forget(key, tracks.get(key)?.state.live.track.version ?? 0);
          else changed.add(key);
        for (const { id, hash, version, places, lastKey } of batch)
          heads.set(keyOf(id), {
            hash,
            version,
            places,
            ...(lastKey !== undefined && { lastKey }),
          });
        if (batch.length > 0)
          onSent({
            machine: line.name,
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
    const line = await openLine(server, {
      machine,
      relay,
      silence: 3 * signOfLife,
      keyOf,
      onLost() {
        isLost = true;
        wakeForNews();
      },
    });
    if (!line)
      throw new WaymarkError(
        "relay_runs",
        `Another relay of this machine is at work on ${machine.name}; this one goes on when it ends.`,
      );
    try {
      const heads = new Map(await line.heads());
      for (const [key] of options.tracks()) changed.add(key);
      wait = FIRST_PAUSE;
      options.onLine(line.name);
      let shownAt = performance.now();
      for (;;) {
        if (await flush(line, heads)) shownAt = performance.now();
        if (ending || aborted) return;
        if (isLost || performance.now() - shownAt > signOfLife) {
          await line.send([]);
          shownAt = performance.now();
        }
        await setTimeout(EVERY);
        if (changed.size === 0 && !ending && !isLost) await pause(signOfLife, true);
      }
    } finally {
      line.close();
    }
  }

  async function run(): Promise<void> {
    while (!aborted) {
      try {
        await send();
        return;
      } catch (error) {
        // A mistake in the URL does not mend itself.
        if (!isPassing(error) || options.once) throw error;
        onWaiting(redactedMessage(error), changed.size);
        if (ending) return;
      }
      await pause(wait * (0.75 + Math.random() / 2), false);
      wait = Math.min(LONGEST_PAUSE, wait * 2);
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
      wakeForNews();
    },
    ended,
    end() {
      if (ending) aborted = true;
      ending = true;
      wakeForEnd();
    },
  };
}

const PASSING = new Set([
  "store_unreachable",
  "store_busy",
  "store_read_only",
  "store_failed",
  "relay_runs",
]);

function isPassing(error: unknown): boolean {
  return error instanceof WaymarkError && PASSING.has(error.code);
}
