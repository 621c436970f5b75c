import type { StreamEvent } from "../../core/stream/events.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { FoundSource } from "./discover.ts";
import type { Indexed } from "./fold.ts";
import type { TranscriptUpdate } from "./follow.ts";
import { isPartial } from "./read-units.ts";

/** Remembers the last event of each agent, so that a file that is read again causes no second update. */
export interface Dedupe {
  /** The updates of a read that were not reported before; `known` is undefined for a new file. */
  unreported(
    updates: readonly TranscriptUpdate[],
    source: FoundSource,
    known: Indexed | undefined,
    entry: Indexed,
  ): readonly TranscriptUpdate[];
  /** The source was removed. It may reappear under another name. */
  removed(entry: Indexed): void;
}

/** Bounds the map; an evicted agent may be reported twice. */
const MAX_AGENTS = 10_000;

export function newDedupe(): Dedupe {
  /** Time of the last reported event by agent, least recently updated first. */
  const reportedAt = new Map<string, number>();
  /** Files that are being read again from the beginning. */
  const restarted = new Set<string>();
  /** By source that is read completely each time: the warnings of its last read. */
  const warned = new Map<string, ReadonlySet<string>>();

  const remember = (entry: Indexed): void => {
    for (const [key, time] of timesOf(entry)) {
      const latest = Math.max(time, reportedAt.get(key) ?? time);
      reportedAt.delete(key);
      reportedAt.set(key, latest);
    }
    for (const key of reportedAt.keys()) {
      if (reportedAt.size <= MAX_AGENTS) break;
      reportedAt.delete(key);
    }
  };

  return {
    unreported(updates, source, known, entry) {
      const isFromStart = known?.state !== entry.state;
      if (source.kind !== "file") {
        const before = warned.get(entry.key);
        if (isFromStart) warned.set(entry.key, warningsIn(updates));
        if (known) return isFromStart ? updates.filter(isNewIn(known, before)) : updates;
      }
      if (known && isFromStart) remember(known);
      const isRepeated = isFromStart || restarted.has(entry.key);
      if (isRepeated && isPartial(entry, source)) restarted.add(entry.key);
      else restarted.delete(entry.key);
      return isRepeated ? updates.filter((each) => isLater(each, reportedAt)) : updates;
    },
    removed(entry) {
      restarted.delete(entry.key);
      warned.delete(entry.key);
      remember(entry);
    },
  };
}

/**
 * Selects what a document or database did not have at its previous read. A changed list is always new.
 * Warnings are read again each time and are not activity, so they are compared with the previous read
 * and with the newest known warning.
 */
function isNewIn(
  known: Indexed,
  warned?: ReadonlySet<string>,
): (update: TranscriptUpdate) => boolean {
  const times = timesOf(known);
  return (update) => {
    const { event, change } = update;
    if ((change?.changes.length ?? 0) > 0) return true;
    if (!isLater(update, times)) return false;
    if (event.type !== "warning") return true;
    if (warned) return !warned.has(warningKey(event));
    const { warnedAt = 0 } =
      known.lives[trackKey({ session: event.sessionId, agent: event.agentId })] ?? {};
    return event.timestamp > warnedAt;
  };
}

function warningsIn(updates: readonly TranscriptUpdate[]): ReadonlySet<string> {
  return new Set(
    updates.flatMap(({ event }) => (event.type === "warning" ? [warningKey(event)] : [])),
  );
}

function warningKey({ eventId, message }: StreamEvent & { readonly type: "warning" }): string {
  return JSON.stringify([eventId, message]);
}

function isLater({ event }: TranscriptUpdate, times: ReadonlyMap<string, number>): boolean {
  const last = times.get(trackKey({ session: event.sessionId, agent: event.agentId }));
  return last === undefined || event.timestamp > last;
}

function timesOf({ lives }: Indexed): ReadonlyMap<string, number> {
  return new Map(
    Object.values(lives).map(({ session, agent, activity }) => [
      trackKey({ session, agent }),
      activity.lastAt,
    ]),
  );
}
