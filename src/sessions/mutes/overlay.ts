import { type Mute, withMutes } from "../../core/activity/mute.ts";
import type { MergedTrack } from "../../core/views/merged.ts";
import { mutesVersion, readMutes } from "./file.ts";

/** Mutes findings when tracks are read. */
export type MuteFindings = <T extends MergedTrack>(
  tracks: readonly T[],
  now: number,
) => readonly T[];

/** Costs one `stat` while nothing changes. */
export function openMutes(home: string): MuteFindings {
  let version: string | undefined;
  let mutes: readonly Mute[] = [];
  return (tracks, now) => {
    const current = mutesVersion(home);
    if (current !== version) {
      mutes = readMutes(home);
      version = current;
    }
    return withMutes(tracks, mutes, now);
  };
}

const POLL_EVERY = 500;

/** Calls back when mutes changed, in any process. Returns the function that stops it. */
export function watchMutes(home: string, onChange: () => void): () => void {
  let known = mutesVersion(home);
  const timer = setInterval(() => {
    const now = mutesVersion(home);
    if (now === known) return;
    known = now;
    onChange();
  }, POLL_EVERY);
  timer.unref();
  return () => clearInterval(timer);
}
