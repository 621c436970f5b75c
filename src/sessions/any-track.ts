import type { MergedTrack } from "../core/views/merged.ts";
import type { RelayedTrack } from "./remote/follow.ts";
import type { ExternalTrack } from "./transcripts/roster.ts";

/** A track with the files of the agent that tell of it, or with what another machine told. */
export type AnyTrack = MergedTrack & {
  readonly foreign?: ExternalTrack;
  readonly relayed?: RelayedTrack;
};
