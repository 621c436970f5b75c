/**
 * servers/report: the report of what happened while the user was away. `gather` reads what it is computed from,
 * `commits` reads git logs, `daily` makes one report a day, `target` delivers it.
 */
import type { Activity } from "../../core/activity/activity.ts";
import { isActive } from "../../core/activity/session-state.ts";
import type { Prices } from "../../core/cost/price.ts";
import { redactMessage } from "../../core/text/redact.ts";
import { activityTimelineOf } from "../../core/views/activity-timeline.ts";
import type {
  Report,
  ReportedTrack,
  ReportNoun,
  ReportWindow,
} from "../../core/views/report/model.ts";
import { reportOf } from "../../core/views/report/report.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import { commitsIn } from "./commits.ts";

/** The sessions of a report. */
export interface ReportSource {
  tracks(): readonly AnyTrack[];
  read(found: AnyTrack): Promise<ReadList>;
}

export interface GatherOptions {
  readonly window: ReportWindow;
  readonly now: number;
  readonly prices: Prices;
  /** Only this session. */
  readonly session?: string | undefined;
  readonly timeZone?: string | undefined;
  /** Called after each session that was read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Reads the sessions that were active in the window, and only those, in full. */
export async function gatherReport(source: ReportSource, options: GatherOptions): Promise<Report> {
  const { window, now, session, timeZone, prices, onProgress } = options;
  const wanted = source
    .tracks()
    .filter((each) =>
      session === undefined ? isReported(each, window) : each.track.session === session,
    );
  const tracks: ReportedTrack[] = [];
  // One after the other: each may be a large file.
  for (const each of wanted) {
    tracks.push(await readTrack(source, each));
    onProgress?.(tracks.length, wanted.length);
    // A server answers other requests in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Directories of other machines are not here.
  const directories = wanted.flatMap(({ machine, track: { cwd } }) =>
    machine === undefined && cwd !== undefined ? [cwd] : [],
  );
  const { commits, unreadLogs } = await commitsIn(directories, window);
  const report = reportOf({
    tracks,
    window,
    now,
    commits,
    unreadLogs,
    prices,
    ...(session !== undefined && { noun: "session" satisfies ReportNoun }),
    ...(timeZone !== undefined && { timeZone }),
  });
  return withoutSecrets(report);
}

/** Removes passwords from commands and texts: reports are mailed and posted. */
function withoutSecrets<T>(value: T): T {
  if (typeof value === "string") return redactMessage(value) as T;
  if (Array.isArray(value)) return value.map(withoutSecrets) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withoutSecrets(each)]);
  return Object.fromEntries(entries) as T;
}

/** Sessions that wait or work belong to the report even if their last activity is older. */
function isReported({ updatedAt, state }: AnyTrack, { since }: ReportWindow): boolean {
  return updatedAt >= since || isActive(state);
}

async function readTrack(source: ReportSource, merged: AnyTrack): Promise<ReportedTrack> {
  try {
    const list = await source.read(merged);
    const events = await list.events();
    const full = await list.readInFull?.();
    if (!full) return { merged, events, timeline: activityTimelineOf(events) };
    return { merged: withCalls(merged, full.live.activity), events, timeline: full.timeline };
  } catch {
    // The files may have been removed since they were listed; the current list is still known.
    return { merged };
  }
}

/** Listing scans files; only reading them in full finds every call and loop. */
function withCalls(merged: AnyTrack, { recent, loop }: Activity): AnyTrack {
  const { activity } = merged;
  if (!activity) return merged;
  const { loop: _, ...rest } = activity;
  return { ...merged, activity: { ...rest, recent, ...(loop && { loop }) } };
}
