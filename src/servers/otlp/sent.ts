import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceWithoutSync } from "../../engines/storage/files.ts";
import { hexId } from "./encode.ts";
import type { SpanSource } from "./spans.ts";

/** The present span of a source. */
export interface Run {
  /** 0 for the first span; one more each time the source continues after its span was sent. */
  readonly run: number;
  readonly start: number;
  /** The end of the span before. */
  readonly after?: number;
  /** Nothing is to be sent: it was sent, or it ended before the first start of the export. */
  readonly isSent: boolean;
}

/** Which spans a collector received, so that a restart repeats none. */
export interface SentSpans {
  observe(source: SpanSource): Run;
  add(key: string, run: Run, end: number): void;
  save(): void;
}

interface Entry {
  readonly run: number;
  readonly end: number;
  /** When it continued after that. */
  readonly restart?: number;
}

const FILE = "otlp.json";
/** Beyond that the oldest half is forgotten: spans that ended before are never sent. */
const MAX_ENTRIES = 4_000;

/** Reads what was sent to the URL `to`. For another URL, only spans that end from now on are sent. */
export function openSentSpans(home: string, to: string, now: number): SentSpans {
  const endpoint = hexId(16, to);
  const path = join(home, FILE);
  const known = readSaved(path, endpoint);
  const entries = new Map(Object.entries(known?.sent ?? {}));
  let since = known?.since ?? now;
  let isSaved = known !== undefined;
  const forgetOldest = (): void => {
    const byEnd = [...entries].sort(([, a], [, b]) => a.end - b.end);
    for (const [key, { end }] of byEnd.slice(0, byEnd.length / 2)) {
      entries.delete(key);
      since = Math.max(since, end);
    }
  };
  return {
    observe(source) {
      const { key, isOpen, start, end, restart, changedAt } = source;
      if (Math.max(end, changedAt) < since) return { run: 0, start, isSent: true };
      let entry = entries.get(key);
      if (!entry) return { run: 0, start, isSent: !isOpen && end < since };
      // A file that is read again from its beginning shows earlier states first.
      if (isOpen && entry.restart === undefined && changedAt > entry.end) {
        entry = { ...entry, restart: Math.max(restart, entry.end) };
        entries.set(key, entry);
        isSaved = false;
      }
      return entry.restart === undefined
        ? { run: entry.run, start, isSent: true }
        : { run: entry.run + 1, start: entry.restart, after: entry.end, isSent: false };
    },
    add(key, { run }, end) {
      entries.set(key, { run, end });
      if (entries.size > MAX_ENTRIES) forgetOldest();
      isSaved = false;
    },
    save() {
      if (isSaved) return;
      const saved: Saved = { endpoint, since, sent: Object.fromEntries(entries) };
      replaceWithoutSync(path, `${JSON.stringify(saved)}\n`);
      isSaved = true;
    },
  };
}

interface Saved {
  readonly endpoint: string;
  readonly since: number;
  readonly sent: Readonly<Record<string, Entry>>;
}

function readSaved(path: string, endpoint: string): Saved | undefined {
  try {
    const saved = JSON.parse(readFileSync(path, "utf8")) as Partial<Saved> | null;
    if (saved?.endpoint !== endpoint || typeof saved.since !== "number") return undefined;
    const sent = Object.entries(saved.sent ?? {}).filter(
      ([, entry]) => typeof entry?.run === "number" && typeof entry.end === "number",
    );
    return { endpoint, since: saved.since, sent: Object.fromEntries(sent) };
  } catch {
    // Missing or damaged: as if nothing was ever sent.
    return undefined;
  }
}
