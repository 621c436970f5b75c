import type { MergedTrack } from "../core/views/merged.ts";
import type { RelayedTrack } from "./remote/received.ts";
import type { ExternalTrack } from "./transcripts/catalog.ts";

/** A merged track with its sources: the agent's own files, or what another machine relayed. */
export type AnyTrack = MergedTrack & {
  readonly external?: ExternalTrack;
  readonly relayed?: RelayedTrack;
};
