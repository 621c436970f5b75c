import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fields } from "../agents/common/values.ts";
import { type Due, dueOf } from "../core/guidance/schedule.ts";
import type { GuidancePolicy } from "../core/list/policy.ts";
import type { Track } from "../core/model.ts";
import { type SessionSummary, summaryOf } from "../core/views/summary.ts";
import { replaceWithoutSync } from "../engines/storage/files.ts";
import { writeDue } from "../servers/hooks/due.ts";

/**
 * The newest tracks in one small file, for status lines and hooks, which must answer faster than a
 * database opens. Written with every commit, in commit order.
 */
export interface StatusEntry extends SessionSummary {
  readonly due: Due;
}

const MAX_TRACKS = 40;

function fileOf(home: string): string {
  return join(home, "status.json");
}

export function readStatusFile(home: string): readonly StatusEntry[] {
  try {
    const read: unknown = JSON.parse(readFileSync(fileOf(home), "utf8"));
    return Array.isArray(read) ? read.filter(isStatus) : [];
  } catch {
    // Missing or damaged: the next commit writes it again.
    return [];
  }
}

/** Another version may have written the file: entries with unexpected types are skipped. */
function isStatus(value: unknown): value is StatusEntry {
  const { session, agent, todos, heardAt, updatedAt, due, now } = fields(value) ?? {};
  return (
    [session, agent, todos].every((each) => typeof each === "string") &&
    [heardAt, updatedAt].every((each) => typeof each === "number") &&
    fields(due) !== undefined &&
    (now === undefined || typeof fields(now)?.text === "string")
  );
}

/** Writes the entry of a track that was committed. It becomes the first one. */
export function writeStatusFile(home: string, track: Track, policy: GuidancePolicy): void {
  const others = readStatusFile(home).filter((each) => !isOf(track, each));
  write(home, track, [entryOf(track, policy), ...others].slice(0, MAX_TRACKS));
}

/** Writes the entry of a track again, in its place, because a proof was recorded. Call it like a commit. */
export function refreshStatusFile(home: string, track: Track, policy: GuidancePolicy): void {
  const known = readStatusFile(home);
  if (!known.some((each) => isOf(track, each))) return;
  const entry = entryOf(track, policy);
  write(
    home,
    track,
    known.map((each) => (isOf(track, each) ? entry : each)),
  );
}

function isOf({ session, agent }: Track, entry: StatusEntry): boolean {
  return entry.session === session && entry.agent === agent;
}

function entryOf(track: Track, policy: GuidancePolicy): StatusEntry {
  return { ...summaryOf(track), due: dueOf(track, policy) };
}

function write(home: string, { session, activity }: Track, all: readonly StatusEntry[]): void {
  replaceWithoutSync(fileOf(home), JSON.stringify(all));
  if (activity) writeDue(home, session, soonest(all.filter((each) => each.session === session)));
}

/** The earliest due step among the agents of a session, which share its hooks. */
function soonest(entries: readonly StatusEntry[]): Due {
  const all = entries.map(({ due }) => due);
  return {
    steps: Math.min(...all.map(({ steps }) => steps)),
    prompt: all.some(({ prompt }) => prompt),
    stop: all.some(({ stop }) => stop),
  };
}
