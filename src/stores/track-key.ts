import type { TrackId } from "../core/model.ts";

/** One string for a track id. No two ids share one, whatever characters they hold. */
export function trackKey({ session, agent }: TrackId): string {
  return JSON.stringify([session, agent]);
}
