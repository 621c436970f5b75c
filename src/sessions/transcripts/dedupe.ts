import type { StreamEvent } from "../../core/stream/events.ts";
import { trackKey } from "../../core/text/ids.ts";
import type { FoundSource } from "./discover.ts";
import type { Indexed } from "./fold.ts";
import type { TranscriptUpdate } from "./follow.ts";
import { isPartial } from "./reading.ts";

/** Remembers the last event of each agent, so that a file that is read again causes no second update. */
export interface Dedupe {
  /** What of a reading was not told before; nothing is known of a file that is new. */
  fresh(
    updates: readonly TranscriptUpdate[],
    source: FoundSource,
    known: Indexed | undefined,
    entry: Indexed,
  ): readonly TranscriptUpdate[];
  /** What told of it is gone, and may come back under another name. */
  gone(entry: Indexed): void;
}

/** Agents of what is gone; one that was forgotten would be told of again. */
const MOST_GONE = 10_000;

export function newDedupe(): Dedupe {
  /** By session and agent; those of the last that went stand last. */
  const left = new Map<string, number>();
  /** Files that are being read from their beginning. */
  const begun = new Set<string>();
  /** By source that is read whole each time: the warnings of its last reading. */
  const warned = new Map<string, ReadonlySet<string>>();

  const remember = (entry: Indexed): void => {
    for (const [key, time] of timesOf(entry)) {
      const latest = Math.max(time, left.get(key) ?? time);
      left.delete(key);
      left.set(key, latest);
    }
    for (const key of left.keys()) {
      if (left.size <= MOST_GONE) break;
      left.delete(key);
    }
  };

  return {
    fresh(updates, source, known, entry) {
      const isAnew = known?.state !== entry.state;
      if (source.kind !== "file") {
        const before = warned.get(entry.key);
        if (isAnew) warned.set(entry.key, warningsIn(updates));
        if (known) return isAnew ? updates.filter(isNewIn(known, before)) : updates;
      }
      if (known && isAnew) remember(known);
      const isAgain = isAnew || begun.has(entry.key);
      if (isAgain && isPartial(entry, source)) begun.add(entry.key);
      else begun.delete(entry.key);
      return isAgain ? updates.filter((each) => isLater(each, left)) : updates;
    },
    gone(entry) {
      begun.delete(entry.key);
      warned.delete(entry.key);
      remember(entry);
    },
  };
}

/**
 * Selects what a document or database did not say at its previous reading. A changed list is new
 * whenever it was written. Warnings of the window are read again each time and are not activity, so
 * they are compared with the previous reading and with the newest warning that is known.
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
