import type { JoinedTrack } from "../core/views/merged.ts";
import type { RelayedTrack } from "./remote/follow.ts";
import type { ForeignTrack } from "./transcripts/roster.ts";

/** A track with the files of the agent that tell of it, or with what another machine told. */
export type AnyTrack = JoinedTrack & {
  readonly foreign?: ForeignTrack;
  readonly relayed?: RelayedTrack;
};
