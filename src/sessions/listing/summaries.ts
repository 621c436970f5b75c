import { statSync } from "node:fs";
import { join } from "node:path";
import { type Mute, mutedKinds } from "../../core/activity/mute.ts";
import { type Archive, archiveAfter, archivedOf } from "../../core/archive.ts";
import { type SessionSummary, summaryState } from "../../core/views/summary.ts";
import { pendingNames } from "../../home/spool.ts";
import { readStatusFile } from "../../home/status.ts";
import { isDue } from "../../home/throttle.ts";
import { readArchive } from "../archive.ts";
import { readMutes } from "../mutes.ts";

/** The newest tracks of our store in short, for a status line: read from one small file. */
export interface Summaries {
  readonly summaries: readonly SessionSummary[];
  /** Those of sessions that are not archived. */
  readonly visible: readonly SessionSummary[];
  /** Whether spooled events have waited for so long that a process should ingest them. */
  readonly isBehind: boolean;
}

const SETTLED = 2_000;
/** Pause before another attempt to ingest events that could not be ingested. */
const RETRY = 30_000;

/** Agents with events in the spool count as active. */
export function readSummaries(home: string, now: number, env: NodeJS.ProcessEnv = {}): Summaries {
  const read = readActive(home, now);
  const summaries = withMuted(home, read.summaries, now);
  return { ...read, summaries, visible: withoutArchived(home, summaries, now, env) };
}

function withMuted(
  home: string,
  summaries: readonly SessionSummary[],
  now: number,
): readonly SessionSummary[] {
  const mutes = mutesOf(home);
  return summaries.map((each) => {
    const { session, agent, heardAt, loop } = each;
    const own = mutes.filter((mute) => mute.session === session);
    return { ...each, muted: mutedKinds(own, { agent, heardAt, loop: loop?.key }, now) };
  });
}

function mutesOf(home: string): readonly Mute[] {
  try {
    return readMutes(home);
  } catch {
    // A status line shows too much rather than an error.
    return [];
  }
}

function withoutArchived(
  home: string,
  summaries: readonly SessionSummary[],
  now: number,
  env: NodeJS.ProcessEnv,
): readonly SessionSummary[] {
  const archive = archiveOf(home);
  const after = archiveAfter(env);
  if (archive.size === 0 && after === undefined) return summaries;
  const changedAt = ({ updatedAt, heardAt }: SessionSummary) => Math.max(updatedAt, heardAt);
  return summaries.filter((each) => {
    const family = summaries.filter(({ session }) => session === each.session);
    const latest = Math.max(...family.map(changedAt));
    const needsUser = family.some((member) => summaryState(member, now) === "needs_you");
    return !archivedOf(archive.get(each.session), latest, needsUser, { now, after });
  });
}

function archiveOf(home: string): Archive {
  try {
    return readArchive(home);
  } catch {
    // A status line shows too much rather than an error.
    return new Map();
  }
}

function readActive(home: string, now: number): Omit<Summaries, "visible"> {
  const summaries = readStatusFile(home);
  const names = pendingNames(home);
  if (names.length === 0) return { summaries, isBehind: false };
  const activeAt = new Map<string, number>();
  let oldest = now;
  for (const name of names) {
    const at = statSync(join(home, "spool", name), { throwIfNoEntry: false })?.mtimeMs;
    const session = name.replace(/\.[A-Za-z]+\.[a-z]+\.[\da-z-]+$/, "");
    if (at === undefined) continue;
    oldest = Math.min(oldest, at);
    activeAt.set(session, Math.max(activeAt.get(session) ?? 0, at));
  }
  return {
    summaries: summaries.map((each) => ({
      ...each,
      heardAt: Math.max(each.heardAt, activeAt.get(each.session) ?? 0),
    })),
    isBehind: now - oldest > SETTLED && mayRetry(home, oldest),
  };
}

function mayRetry(home: string, oldest: number): boolean {
  try {
    return isDue(join(home, "folded"), RETRY, oldest);
  } catch {
    // A home that cannot be written to cannot ingest anything.
    return false;
  }
}
