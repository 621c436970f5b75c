import { emptyTrack, evolve } from "../core/evolve.ts";
import { trackKey } from "../core/joined.ts";
import type { Event, Track } from "../core/model.ts";
import type { Home } from "./open.ts";

/** Our own lists, kept true while others write to them. */
export interface HostedLists {
  tracks(): readonly Track[];
  stop(): void;
}

export async function followHosted(
  home: Home,
  onEvent: (event: Event, before: Track, after: Track) => void,
): Promise<HostedLists> {
  const tracker = await home.reading();
  const known = new Map<string, Track>();
  const stop = tracker.watch(({ track: id, event }) => {
    const key = trackKey(id);
    const before = known.get(key) ?? emptyTrack(id);
    // What happened while the lists were being read is in them already.
    if (event.seq <= before.version) return;
    const after = evolve(before, event);
    known.set(key, after);
    onEvent(event, before, after);
  });
  for (const track of await tracker.tracks()) {
    const key = trackKey(track);
    if ((known.get(key)?.version ?? 0) < track.version) known.set(key, track);
  }
  return { tracks: () => [...known.values()], stop };
}
