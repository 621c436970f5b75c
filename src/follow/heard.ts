import type { FoundSource } from "./discover.ts";
import { type Indexed, liveKey } from "./fold.ts";
import type { News } from "./follow.ts";
import { isPartial } from "./reading.ts";

/** Up to when each agent was heard, so that what is read a second time is not told a second time. */
export interface Heard {
  /** What of a reading was not told before; nothing is known of a file that is new. */
  fresh(
    news: readonly News[],
    source: FoundSource,
    known: Indexed | undefined,
    entry: Indexed,
  ): readonly News[];
  /** What told of it is gone, and may come back under another name. */
  gone(entry: Indexed): void;
}

/** Agents of what is gone; one that was forgotten would be told of again. */
const MOST_GONE = 10_000;

export function newHeard(): Heard {
  /** By session and agent; those of the last that went stand last. */
  const left = new Map<string, number>();
  /** Files that are being read from their beginning. */
  const begun = new Set<string>();

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
    fresh(news, source, known, entry) {
      const isAnew = known?.state !== entry.state;
      if (known && source.kind !== "file") return isAnew ? news.filter(isNewIn(known)) : news;
      if (known && isAnew) remember(known);
      const isAgain = isAnew || begun.has(entry.key);
      if (isAgain && isPartial(entry, source)) begun.add(entry.key);
      else begun.delete(entry.key);
      return isAgain ? news.filter((each) => isLater(each, left)) : news;
    },
    gone(entry) {
      begun.delete(entry.key);
      remember(entry);
    },
  };
}

/** A state goes on from the one that was told: what became of a list is new, whenever it was. */
function isNewIn(known: Indexed): (news: News) => boolean {
  const times = timesOf(known);
  return (news) => isLater(news, times) || (news.change?.changes.length ?? 0) > 0;
}

function isLater({ event }: News, times: ReadonlyMap<string, number>): boolean {
  const heard = times.get(liveKey(event.sessionId, event.agentId));
  return heard === undefined || event.timestamp > heard;
}

function timesOf({ lives }: Indexed): ReadonlyMap<string, number> {
  return new Map(
    Object.values(lives).map(({ session, agent, activity }) => [
      liveKey(session, agent),
      activity.lastAt,
    ]),
  );
}
