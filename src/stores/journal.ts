import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { WaymarkError } from "../core/error.ts";
import { emptyTrack, evolve } from "../core/evolve.ts";
import type { Event, Track, TrackId } from "../core/model.ts";
import { syncDirectory, TO_APPEND } from "../engines/storage/place.ts";
import type { Warn } from "../engines/storage/warn.ts";

/** One event that counts. */
export interface Entry {
  readonly event: Event;
  /** Which attempt wrote the line: two processes may send the same event. */
  readonly nonce: string;
  /** Where its line ends in the file. */
  readonly end: number;
}

/** What is known of a journal file so far. */
export interface Journal {
  readonly track: Track;
  readonly entries: readonly Entry[];
  /** Up to where the file was read. */
  readonly end: number;
  find(key: string): Event | undefined;
  /** Reads what was appended since. */
  catchUp(): void;
  /** Appends a line and makes it durable. Whether it counts, the next reading shows. */
  append(event: Event, nonce: string): void;
  /**
   * Makes an event durable that was read: its writer may not have come to it, or its disk may have
   * failed, and then no sync brings back what was written before. So it is written once more.
   */
  repeat(event: Event, nonce: string): void;
}

const VERSION = 1;
const NEWLINE = 0x0a;

/**
 * The events of one track, a line each, behind a header line. Nothing locks it: everybody appends,
 * and a line counts only if its number follows the last one that counts and its key is new. So all
 * readers agree on what happened, and a writer learns by reading whether its own line made it.
 *
 * Whoever wrote a number had read the ones before it. Where some are missing behind a line that
 * cannot be read, they stood there: what follows still counts.
 */
export function openJournal(path: string, id: TrackId, warn: Warn): Journal {
  let track = emptyTrack(id);
  let entries: Entry[] = [];
  let byKey = new Map<string, Event>();
  let inode: number | undefined;
  let offset = 0;
  let lines = 0;
  let headed = false;
  /** The file ends in the middle of a line: its writer was killed, or is writing. */
  let torn = false;
  /** A line behind the last one that counts cannot be read. */
  let damaged = false;
  /** Its name is known to survive a power cut: who made the file may have been killed before that. */
  let nameKept = false;

  function reset(): void {
    track = emptyTrack(id);
    entries = [];
    byKey = new Map();
    offset = 0;
    lines = 0;
    headed = false;
    torn = false;
    damaged = false;
  }

  function checkHeader({ waymark, session, agent }: Record<string, unknown>): void {
    const where = `The journal ${path}`;
    if (typeof waymark === "number" && waymark > VERSION)
      throw new WaymarkError("newer_store", `${where} is of a newer Waymark. Update to use it.`);
    if (session !== id.session || agent !== id.agent)
      throw new WaymarkError(
        "bad_id",
        `${where} belongs to ${session}/${agent}, not to ${id.session}/${id.agent}: this file system ` +
          "takes the two for one name. Choose an id that differs in more than upper and lower case.",
      );
    headed = true;
  }

  function readLine(text: string, end: number): void {
    lines += 1;
    if (text === "") return;
    const line = isWhole(text) ? parseLine(text) : undefined;
    if (line && "waymark" in line) {
      checkHeader(line);
      return;
    }
    const { nonce, event } = line ?? {};
    if (typeof nonce !== "string" || !isEvent(event)) {
      warn(`Line ${lines} of ${path} cannot be read and was skipped.`);
      damaged = true;
      return;
    }
    const follows = damaged ? event.seq > track.version : event.seq === track.version + 1;
    if (!follows || byKey.has(event.key)) return;
    damaged = false;
    track = evolve(track, event);
    entries.push({ event, nonce, end });
    byKey.set(event.key, event);
  }

  function read(handle: number): void {
    const { ino, size } = fstatSync(handle);
    if (ino !== inode || size < offset) reset();
    if (ino !== inode) nameKept = false;
    inode = ino;
    if (size === offset) return;
    const bytes = readFully(handle, offset, size - offset);
    const from = offset;
    for (let start = 0; ; ) {
      const end = bytes.indexOf(NEWLINE, start);
      torn = end === -1 && start < bytes.length;
      if (end === -1) return;
      offset = from + end + 1;
      readLine(bytes.toString("utf8", start, end), offset);
      start = end + 1;
    }
  }

  function write(event: Event, nonce: string, apart: boolean): void {
    const created = inode === undefined;
    const { session, agent } = id;
    const header = headed ? "" : `${sealed({ waymark: VERSION, session, agent })}\n`;
    const line = `${apart ? "\n" : ""}${header}${sealed({ nonce, event })}\n`;
    const bytes = Buffer.from(line);
    const handle = openSync(path, TO_APPEND, 0o600);
    try {
      if (created) fchmodSync(handle, 0o600);
      // In one piece: what others append must not come between.
      const written = writeSync(handle, bytes);
      if (written !== bytes.length)
        throw new WaymarkError(
          "store_full",
          `Only ${written} of ${bytes.length} bytes fit into ${path}. Nothing was acknowledged; free ` +
            "some space and try again.",
        );
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (!nameKept) syncDirectory(dirname(path));
    nameKept = true;
  }

  return {
    get track() {
      return track;
    },
    get entries() {
      return entries;
    },
    get end() {
      return offset;
    },
    find: (key) => byKey.get(key),

    catchUp() {
      const handle = openExisting(path);
      if (handle === undefined) {
        inode = undefined;
        nameKept = false;
        reset();
        return;
      }
      try {
        read(handle);
      } finally {
        closeSync(handle);
      }
    },

    append: (event, nonce) => write(event, nonce, torn),

    // Behind a line break of its own: what stands before it may not have got to the disk.
    repeat: (event, nonce) => write(event, nonce, true),
  };
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function readFully(handle: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(handle, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}

/** As lines began before there were sums. */
const UNSEALED = /^\{"(?:nonce|waymark)":/;
const SEAL = /^\{"sum":"([0-9a-f]{8})",/;

const sumOf = (text: string) => crc32(text).toString(16).padStart(8, "0");

/** A line that tells whether it was damaged: a wrong number in it would shut out all that follow. */
function sealed(content: object): string {
  const text = JSON.stringify(content);
  return `{"sum":"${sumOf(text)}",${text.slice(1)}`;
}

function isWhole(text: string): boolean {
  const [seal, sum] = SEAL.exec(text) ?? [];
  return seal === undefined ? UNSEALED.test(text) : sum === sumOf(`{${text.slice(seal.length)}`);
}

function parseLine(text: string): Record<string, unknown> | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === "object" && line ? (line as Record<string, unknown>) : undefined;
  } catch {
    // Torn or damaged: the caller says which line it was.
    return undefined;
  }
}

function isEvent(value: unknown): value is Event {
  if (typeof value !== "object" || !value) return false;
  const { seq, key, at, changes } = value as Partial<Record<keyof Event, unknown>>;
  return (
    typeof seq === "number" &&
    typeof key === "string" &&
    typeof at === "number" &&
    Array.isArray(changes)
  );
}
