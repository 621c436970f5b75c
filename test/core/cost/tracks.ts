import type { TrackUsage, Usage } from "../../../src/core/activity/usage.ts";
import { emptyTrack } from "../../../src/core/evolve.ts";
import type { Track } from "../../../src/core/model.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";

export const usageOf = (part: Partial<Usage>): Usage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  requests: 1,
  ...part,
});

/** A track with usage. */
export function usedTrack(
  track: Partial<Track> & { readonly session: string },
  usage?: TrackUsage,
): MergedTrack {
  const { session, agent = "main" } = track;
  return {
    track: { ...emptyTrack({ session, agent }), openedAt: 1, updatedAt: 1, ...track },
    hosted: false,
    state: "idle",
    findings: [],
    updatedAt: track.updatedAt ?? 1,
    ...(usage && { usage }),
  };
}
