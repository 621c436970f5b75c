import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";

/**
 * One stream of messages for any number of readers. A reader that comes back says which message it
 * had last and gets those after it; one that was away for too long, or comes from before a restart,
 * is told to read everything anew. A reader that does not read is let go, not waited for.
 */
export interface Broadcast {
  /** The name of what was said last: whoever read everything now goes on from here. */
  readonly position: string;
  say(type: string, data: unknown): void;
  /** Sends what is gathered. */
  flush(): void;
  join(response: ServerResponse, after: string | undefined): void;
  readonly listeners: number;
  /** Readers that were let go because they did not read. */
  readonly dropped: number;
  close(): void;
}

export interface BroadcastOptions {
  /** Messages that are kept for readers that come back. */
  readonly keep?: number;
  /** Bytes that are kept for them. */
  readonly keepBytes?: number;
  /** Bytes that may wait for one reader. */
  readonly maxWaiting?: number;
  /** Milliseconds for which messages are gathered, so that many cost one write. */
  readonly gather?: number;
  /** Milliseconds between signs of life. */
  readonly beat?: number;
}

const BEAT = Buffer.from(`: alive\n\n`);

interface Kept {
  readonly seq: number;
  readonly bytes: Buffer;
}

export function openBroadcast(options: BroadcastOptions = {}): Broadcast {
  const {
    keep = 10_000,
    keepBytes = 8 * 1024 * 1024,
    maxWaiting = 1024 * 1024,
    gather = 20,
    beat = 15_000,
  } = options;
  const era = randomBytes(4).toString("hex");
  const readers = new Set<ServerResponse>();
  const kept: Kept[] = [];
  let keptBytes = 0;
  let seq = 0;
  let dropped = 0;
  let gathered: Buffer[] = [];
  let flushing: NodeJS.Timeout | undefined;

  const nameOf = (place: number) => `${era}.${place}`;
  const frame = (place: number, type: string, data: unknown) =>
    Buffer.from(`id: ${nameOf(place)}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);

  const send = (reader: ServerResponse, bytes: Buffer): void => {
    if (reader.writableLength > maxWaiting) {
      dropped++;
      readers.delete(reader);
      reader.destroy();
    } else reader.write(bytes);
  };
  const flush = (): void => {
    if (flushing) clearTimeout(flushing);
    flushing = undefined;
    if (gathered.length === 0) return;
    const bytes = Buffer.concat(gathered);
    gathered = [];
    for (const reader of readers) send(reader, bytes);
  };
  const alive = setInterval(() => {
    for (const reader of readers) send(reader, BEAT);
  }, beat);
  alive.unref();

  /** What a reader missed; nothing where that is not known any more. */
  const missed = (after: string | undefined): Buffer | undefined => {
    if (after === undefined) return Buffer.alloc(0);
    const [theirs, place] = after.split(".");
    const last = Number(place);
    if (theirs !== era || !Number.isSafeInteger(last) || last > seq) return undefined;
    const first = (kept[0]?.seq ?? seq + 1) - 1;
    if (last < first) return undefined;
    const bytes = Buffer.concat(kept.slice(last - first).map((each) => each.bytes));
    // More than may wait for a reader: to read everything anew is less.
    return bytes.length > maxWaiting ? undefined : bytes;
  };

  return {
    get position() {
      return nameOf(seq);
    },
    get listeners() {
      return readers.size;
    },
    get dropped() {
      return dropped;
    },
    say(type, data) {
      seq++;
      const bytes = frame(seq, type, data);
      kept.push({ seq, bytes });
      keptBytes += bytes.length;
      while (kept.length > keep || (keptBytes > keepBytes && kept.length > 1))
        keptBytes -= kept.shift()?.bytes.length ?? 0;
      if (readers.size === 0) return;
      gathered.push(bytes);
      flushing ??= setTimeout(flush, gather);
    },
    flush,
    join(response, after) {
      // Those who are here get what was gathered; the newcomer has it with what it missed.
      flush();
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
      });
      const before = missed(after);
      response.write("retry: 1000\n\n");
      response.write(before ?? frame(seq, "anew", {}));
      readers.add(response);
      response.on("close", () => readers.delete(response));
    },
    close() {
      flush();
      clearInterval(alive);
      for (const reader of readers) reader.end();
      readers.clear();
    },
  };
}
