import { emptyTrack, evolve } from "../core/evolve.ts";
import { trackKey } from "../core/joined.ts";
import type { Event, Track } from "../core/model.ts";
import type { Home } from "./open.ts";

/** Our own lists, kept true while others write to them. */
export interface HostedLists {
  tracks(): readonly Track[];
  /** To be called from time to time: the first list may be kept long after the watching began. */
  look(): void;
  stop(): void;
}

/** What happened; no changes where a list was there before anybody looked. */
export type HostedNews = Pick<Event, "at" | "changes">;

export interface HostedOptions {
  readonly onNews: (news: HostedNews, before: Track, after: Track) => void;
  readonly onProblem: (error: unknown) => void;
}

export async function followHosted(
  home: Home,
  { onNews, onProblem }: HostedOptions,
): Promise<HostedLists> {
  const known = new Map<string, Track>();
  let isOpen = false;
  let isStopped = false;
  let stop: (() => void) | undefined;

  const open = async (areNews: boolean): Promise<void> => {
    isOpen = true;
    const tracker = await home.reading();
    if (isStopped) return;
    stop = tracker.watch(({ track: id, event }) => {
      const key = trackKey(id);
      const before = known.get(key) ?? emptyTrack(id);
      // What happened while the lists were being read is in them already.
      if (event.seq <= before.version) return;
      const after = evolve(before, event);
      known.set(key, after);
      onNews(event, before, after);
    });
    for (const track of await tracker.tracks()) {
      const key = trackKey(track);
      const before = known.get(key) ?? emptyTrack(track);
      if (before.version >= track.version) continue;
      known.set(key, track);
      if (areNews) onNews({ at: track.updatedAt, changes: [] }, before, track);
    }
  };

  if (home.isThere()) await open(false);
  return {
    tracks: () => [...known.values()],
    look() {
      if (!isOpen && !isStopped && home.isThere()) open(true).catch(onProblem);
    },
    stop() {
      isStopped = true;
      stop?.();
    },
  };
}
