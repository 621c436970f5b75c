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
import { APPEND_FLAGS, syncDirectory } from "../engines/storage/files.ts";
import { refuseNewerFile } from "../engines/storage/migrations.ts";
import type { Warn } from "../engines/storage/warn.ts";

/** A valid event of the journal. */
export interface Entry {
  readonly event: Event;
  /** Identifies the attempt that wrote the line: two processes may write the same event. */
  readonly nonce: string;
  /** Offset of the end of its line. */
  readonly end: number;
}

/** A journal file, as far as it was read. */
export interface Journal {
  readonly track: Track;
  readonly entries: readonly Entry[];
  /** Offset up to which the file was read. */
  readonly end: number;
  find(key: string): Event | undefined;
  /** Reads the lines that were appended since. */
  catchUp(): void;
  /** Appends a line and syncs it. `catchUp` shows whether it is valid. */
  append(event: Event, nonce: string): void;
  /**
   * Writes an event once more to make it durable: its writer may have died before the sync, or the sync
   * may have failed, after which a later sync does not write the lost data.
   */
  repeat(event: Event, nonce: string): void;
}

const VERSION = 1;
const NEWLINE = 0x0a;

/**
 * Opens the journal of a track: a header, then one event per line. There is no lock. Every process
 * appends, and a line is valid only if its number follows the last valid one and its key is new. So all
 * readers agree, and a writer learns by reading whether its own line is valid.
 *
 * A writer has read all earlier numbers. If some are missing after an unreadable line, that line had
 * them, so later lines are still valid.
 */
export function openJournal(path: string, id: TrackId, warn: Warn): Journal {
  let track = emptyTrack(id);
  let entries: Entry[] = [];
  let byKey = new Map<string, Event>();
  let inode: number | undefined;
  let offset = 0;
  let lines = 0;
  let headed = false;
  /** The file ends within a line: its writer was killed, or is still writing. */
  let torn = false;
  /** A line after the last valid one is unreadable. */
  let damaged = false;
  /** Whether the directory entry is synced: the creator of the file may have died before that. */
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
    refuseNewerFile(waymark, VERSION, path);
    if (session !== id.session || agent !== id.agent)
      throw new WaymarkError(
        "bad_id",
        `The journal ${path} belongs to ${session}/${agent}, not to ${id.session}/${id.agent}: this file system does ` +
          "not distinguish their names. Choose an id that differs in more than upper and lower case.",
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
      warn(`Skipped line ${lines} of ${path}: cannot read it.`);
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
    const handle = openSync(path, APPEND_FLAGS, 0o600);
    try {
      if (created) fchmodSync(handle, 0o600);
      // One write, so that lines of other processes do not get in between.
      const written = writeSync(handle, bytes);
      if (written !== bytes.length)
        throw new WaymarkError(
          "store_full",
          `Wrote only ${written} of ${bytes.length} bytes to ${path}. The write was not acknowledged. Free ` +
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

    // Starts with a line break: the data before it may not have reached the disk.
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

/** The start of a line from versions without checksums. */
const UNSEALED = /^\{"(?:nonce|waymark)":/;
const SEAL = /^\{"sum":"([0-9a-f]{8})",/;

const sumOf = (text: string) => crc32(text).toString(16).padStart(8, "0");

/** A line with a checksum: a damaged number would invalidate all later lines. */
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
    // Incomplete or damaged: the caller reports the line.
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
