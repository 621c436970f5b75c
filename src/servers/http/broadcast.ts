import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";

/**
 * Server-sent events for many clients. A reconnecting client sends the last event id and receives the events after it,
 * or a `resync` if those are no longer buffered or the server was restarted. Clients that fall more than `maxPending`
 * bytes behind are disconnected.
 */
export interface Broadcast {
  /** The id of the last event. A client that has read the current state subscribes from here. */
  readonly cursor: string;
  publish(type: string, data: unknown): void;
  /** Sends buffered events now. */
  flush(): void;
  subscribe(response: ServerResponse, after: string | undefined): void;
  readonly subscribers: number;
  /** How many clients were disconnected because they fell behind. */
  readonly dropped: number;
  close(): void;
}

export interface BroadcastOptions {
  /** Events that are kept for reconnecting clients (default: 10,000). */
  readonly keep?: number;
  /** Bytes of events that are kept for reconnecting clients (default: 8 MiB). */
  readonly keepBytes?: number;
  /** Bytes that may be pending for one client (default: 1 MiB). */
  readonly maxPending?: number;
  /** Milliseconds for which events are batched into one write (default: 20). */
  readonly batchDelay?: number;
  /** Milliseconds between heartbeats (default: 15,000). */
  readonly heartbeat?: number;
}

/** The event that tells a client to read the current state again. */
export const RESYNC = "resync";

const HEARTBEAT = Buffer.from(`: alive\n\n`);

interface KeptEvent {
  readonly seq: number;
  readonly bytes: Buffer;
}

export function openBroadcast(options: BroadcastOptions = {}): Broadcast {
  const {
    keep = 10_000,
    keepBytes = 8 * 1024 * 1024,
    maxPending = 1024 * 1024,
    batchDelay = 20,
    heartbeat = 15_000,
  } = options;
  const era = randomBytes(4).toString("hex");
  const clients = new Set<ServerResponse>();
  const kept: KeptEvent[] = [];
  let keptBytes = 0;
  let seq = 0;
  let dropped = 0;
  let batch: Buffer[] = [];
  let flushing: NodeJS.Timeout | undefined;

  const idOf = (number: number) => `${era}.${number}`;
  const frame = (number: number, type: string, data: unknown) =>
    Buffer.from(`id: ${idOf(number)}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);

  const send = (client: ServerResponse, bytes: Buffer): void => {
    if (client.writableLength > maxPending) {
      dropped++;
      clients.delete(client);
      client.destroy();
    } else client.write(bytes);
  };
  const flush = (): void => {
    if (flushing) clearTimeout(flushing);
    flushing = undefined;
    if (batch.length === 0) return;
    const bytes = Buffer.concat(batch);
    batch = [];
    for (const client of clients) send(client, bytes);
  };
  const beating = setInterval(() => {
    for (const client of clients) send(client, HEARTBEAT);
  }, heartbeat);
  beating.unref();

  /** The events after an id; undefined if they are no longer buffered. */
  const missed = (after: string | undefined): Buffer | undefined => {
    if (after === undefined) return Buffer.alloc(0);
    const [clientEra, number] = after.split(".");
    const last = Number(number);
    if (clientEra !== era || !Number.isSafeInteger(last) || last > seq) return undefined;
    const first = (kept[0]?.seq ?? seq + 1) - 1;
    if (last < first) return undefined;
    const bytes = Buffer.concat(kept.slice(last - first).map((each) => each.bytes));
    // A resync is cheaper than more events than may be pending.
    return bytes.length > maxPending ? undefined : bytes;
  };

  return {
    get cursor() {
      return idOf(seq);
    },
    get subscribers() {
      return clients.size;
    },
    get dropped() {
      return dropped;
    },
    publish(type, data) {
      seq++;
      const bytes = frame(seq, type, data);
      kept.push({ seq, bytes });
      keptBytes += bytes.length;
      while (kept.length > keep || (keptBytes > keepBytes && kept.length > 1))
        keptBytes -= kept.shift()?.bytes.length ?? 0;
      if (clients.size === 0) return;
      batch.push(bytes);
      flushing ??= setTimeout(flush, batchDelay);
    },
    flush,
    subscribe(response, after) {
      // Sends the batch to the other clients: the new one receives it with the missed events.
      flush();
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
      const replay = missed(after);
      response.write("retry: 1000\n\n");
      response.write(replay ?? frame(seq, RESYNC, {}));
      clients.add(response);
      response.on("close", () => clients.delete(response));
    },
    close() {
      flush();
      clearInterval(beating);
      for (const client of clients) client.end();
      clients.clear();
    },
  };
}
