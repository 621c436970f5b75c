import { randomUUID } from "node:crypto";
import { readSync } from "node:fs";
import type { Decoder } from "../../agents/agent.ts";
import { openReader, type Reader } from "../../agents/common/reader.ts";
import { findDecoder } from "../../agents/index.ts";
import type { CallDetail } from "../../core/activity/calls/call-detail.ts";
import type { Driver } from "../../engines/sqlite/driver.ts";
import type { ExternalTrack } from "../transcripts/catalog.ts";
import { databaseRows, unpacked } from "../transcripts/database.ts";
import type { FoundSource } from "../transcripts/discover.ts";
import { MAX_LINE } from "../transcripts/scan/lines.ts";
import { unescaped } from "../transcripts/scan/needles.ts";
import { scanLines } from "../transcripts/scan/scan.ts";
import { type OpenFile, readLines, START, withFile } from "../transcripts/scan/tail.ts";
import { type CallCollector, detailOf, newCollector, type WantedCall } from "./found-call.ts";
import { type LongLine, readShortened } from "./long-line.ts";

/**
 * sessions/calls: one tool call of an agent, read from the agent's own files on demand. Nothing is stored. Lines without
 * the id of the call are skipped, and of long outputs only the beginning and the end are kept: memory does not grow with
 * the file.
 */
export interface CallOptions {
  /** Opens databases. */
  readonly driver?: Driver | undefined;
  /** Read as much of the output as is ever shown. */
  readonly isWhole?: boolean | undefined;
}

/** Milliseconds of reading before the event loop gets a turn. */
const SLICE = 30;

/** The call; undefined if none of the files has it. */
export async function readCall(
  { live, units }: ExternalTrack,
  wanted: WantedCall,
  { driver, isWhole = false }: CallOptions = {},
): Promise<CallDetail | undefined> {
  for (const unit of units)
    for (const source of unit) {
      const decoder = findDecoder(source.dialect);
      if (!decoder) continue;
      const collector = newCollector(live, wanted);
      await readSource(source, decoder, wanted, collector, driver);
      const found = collector.found();
      if (found) return detailOf(wanted, found, isWhole);
    }
  return undefined;
}

async function readSource(
  source: FoundSource,
  decoder: Decoder,
  wanted: WantedCall,
  collector: CallCollector,
  driver: Driver | undefined,
): Promise<void> {
  const reader = readerOf(source, decoder);
  if (source.kind === "sqlite") {
    if (driver) readRows(source, reader, wanted, collector, driver);
    return;
  }
  const mark = `\u241f${randomUUID()}:`;
  const line = (text: string, number: number, marked?: string): void =>
    collector.add(reader.line(text, number), () => parsed(text), marked);
  if (source.kind === "document") {
    withFile(source.path, (file) => {
      const text = readShortened(file.handle, { offset: 0, length: file.size }, mark);
      if (text !== undefined) line(text, 1, mark);
    });
    return;
  }
  const needle = unescaped(wanted.callId);
  let cursor = { offset: 0, lines: 0, seen: 0, end: 0 };
  const hasFirst = withFile(source.path, (file) => readFirst(file, (text) => line(text, 1)));
  if (!hasFirst.ok) return;
  for (let isDone = false; !isDone; ) {
    const long: { readonly at: LongLine; readonly number: number }[] = [];
    const read = withFile(source.path, (file) => {
      cursor = scanLines(
        file.handle,
        {
          from: cursor.offset,
          seen: cursor.seen,
          to: file.size,
          until: performance.now() + SLICE,
          lines: cursor.lines,
          needles: [needle],
        },
        (text, number) => (number === 1 && hasFirst.value) || line(text, number),
        (length, number, offset) => long.push({ at: { offset, length }, number }),
      );
      for (const { at, number } of long) {
        const text = readShortened(file.handle, at, mark);
        if (text?.includes(needle)) line(text, number, mark);
      }
      isDone = cursor.end >= file.size;
      if (isDone) readLast(file, cursor.offset, (text) => line(text, cursor.lines + 1));
    });
    if (!read.ok) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Bytes of a first line that are read: instructions and settings of a session may be in it. */
const MAX_FIRST = 1024 * 1024;

/** Reads the first line, which may identify the session and its agent. Returns whether it did. */
function readFirst(file: OpenFile, each: (line: string) => void): boolean {
  let isRead = false;
  readLines(
    file,
    START,
    (first) => {
      if (first.number !== 1 || !("bytes" in first)) return;
      isRead = true;
      each(first.bytes.toString("utf8"));
    },
    MAX_FIRST,
  );
  return isRead;
}

/** A last line without a line feed: the agent may be writing it. */
function readLast({ handle, size }: OpenFile, offset: number, each: (line: string) => void): void {
  const length = size - offset;
  if (length <= 0 || length > MAX_LINE) return;
  const bytes = Buffer.allocUnsafe(length);
  const text = bytes.toString("utf8", 0, readSync(handle, bytes, 0, length, offset));
  if (parsed(text) !== undefined) each(text);
}

/** Rows with the id of the call, if the format has a query for it; otherwise the whole history. */
function readRows(
  source: FoundSource,
  reader: Reader,
  { callId }: WantedCall,
  collector: CallCollector,
  driver: Driver,
): void {
  const { database } = reader.decoder;
  if (!database) return;
  const { call, history, queries, optional, zstd } = database;
  const rows = call
    ? databaseRows(driver, source.path, call, optional, [callId])
    : databaseRows(driver, source.path, history ?? queries, optional);
  for (const [index, record] of database.records(unpacked(rows, zstd)).entries())
    collector.add(reader.record(record, index + 1), () => record);
}

function readerOf(source: FoundSource, decoder: Decoder): Reader {
  const { kind, path, session, agent, parent, mtime } = source;
  return openReader(
    decoder,
    {
      kind: kind === "sqlite" ? "document" : kind,
      path,
      ...(session !== undefined && { session }),
      ...(agent !== undefined && { agent }),
      ...(parent !== undefined && { parent }),
    },
    { now: () => Math.round(mtime) },
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A damaged line: its excerpt is all there is.
    return undefined;
  }
}
