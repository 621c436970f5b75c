import { emptyTrack, evolve } from "../core/evolve.ts";
import { trackKey } from "../core/joined.ts";
import type { Event, Track } from "../core/model.ts";
import type { Home } from "./open.ts";

/** Our own lists, kept true while others write to them. */
export interface HostedLists {
  tracks(): readonly Track[];
  /**
   * To be called from time to time: the first list may be kept long after the watching began, and
   * hooks leave what they are told for whoever looks next.
   */
  look(): void;
  stop(): void;
}

/** What happened; no changes where a list was there before anybody looked. */
export type HostedNews = Pick<Event, "at" | "changes" | "comment" | "rejected">;

export interface HostedOptions {
  readonly onNews: (news: HostedNews, before: Track, after: Track) => void;
  readonly onProblem: (error: unknown) => void;
}

export async function followHosted(
  home: Pick<Home, "isThere" | "reading">,
  { onNews, onProblem }: HostedOptions,
): Promise<HostedLists> {
  const known = new Map<string, Track>();
  let isOpen = false;
  let isStopped = false;
  let isLooking = false;
  let stop: (() => void) | undefined;

  const open = async (areNews: boolean): Promise<void> => {
    const tracker = await home.reading();
    if (isStopped) return;
    // A watch of an opening that failed half-way is no use.
    stop?.();
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
    isOpen = true;
  };

  const lookNow = async (): Promise<void> => {
    if (isOpen) await home.reading();
    else await open(true);
  };
  let said = "";
  /** What goes wrong every time is said once. */
  const problem = (error: unknown): void => {
    if (String(error) === said) return;
    said = String(error);
    onProblem(error);
  };

  if (home.isThere()) await open(false);
  return {
    tracks: () => [...known.values()],
    look() {
      if (isStopped || isLooking) return;
      if (!isOpen && !home.isThere()) return;
      isLooking = true;
      lookNow()
        .catch(problem)
        .finally(() => {
          isLooking = false;
        });
    },
    stop() {
      isStopped = true;
      stop?.();
    },
  };
}
