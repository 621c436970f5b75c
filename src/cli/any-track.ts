import type { JoinedTrack } from "../core/joined.ts";
import type { ForeignTrack } from "../follow/roster.ts";

/** A track with the files of the agent that tell of it. */
export type AnyTrack = JoinedTrack & { readonly foreign?: ForeignTrack };
