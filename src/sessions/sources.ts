import { stallPolicyFromEnv } from "../core/activity/stall.ts";
import type { Track, TrackId } from "../core/model.ts";
import type { Context } from "../home/open.ts";
import { sharedStore } from "../home/shared-store.ts";
import type { AnyTrack } from "./any-track.ts";
import { type ArchiveOverlay, openArchive } from "./archive.ts";
import { type HostedSource, hostedSource } from "./hosted.ts";
import { mergeTracks } from "./merge.ts";
import { type MuteFindings, openMutes } from "./mutes.ts";
import { type AddProofs, openProofs, withProofsOf } from "./proofs.ts";
import { externalList, hostedList, type ReadList } from "./read-list.ts";
import { remoteSource } from "./remote/index.ts";
import { mergeRelayed } from "./remote/merge.ts";
import type { RelayedTrack } from "./remote/received.ts";
import type { SessionSource } from "./source.ts";
import type { ExternalTrack } from "./transcripts/catalog.ts";
import { type TranscriptSource, transcriptSource } from "./transcripts/index.ts";

export type SessionsCall = Pick<Context, "home" | "env" | "terminal">;

export interface SourceOptions {
  /** The agents of another home directory, without our own lists. */
  readonly userHome?: string | undefined;
  /** Whether our own lists are included (default: only without `userHome`). */
  readonly hasLists?: boolean;
  /** The shared server (default: WAYMARK_STORE); false for none. */
  readonly store?: string | undefined | false;
}

/** The sources of a command or server, and the one way to merge them. */
export interface Sources {
  /** Our store; undefined for the agents of another home directory. */
  readonly hosted: HostedSource | undefined;
  readonly transcripts: TranscriptSource;
  /** Other machines; undefined without a shared server. */
  readonly remote: SessionSource<RelayedTrack> | undefined;
  /** Merges what the sources list, newest first. */
  merge(
    hosted: readonly Track[],
    transcripts: readonly ExternalTrack[],
    remote: readonly RelayedTrack[],
    now: number,
  ): readonly AnyTrack[];
  /** Adds recorded proofs to tracks that were merged elsewhere. */
  readonly addProofs: AddProofs;
  /** Marks archived sessions among tracks that were merged elsewhere. */
  readonly archive: ArchiveOverlay;
  /** Mutes findings of tracks that were merged elsewhere. */
  readonly mute: MuteFindings;
  /** The list of a merged track, from the source that keeps it. */
  read(found: AnyTrack): Promise<ReadList>;
}

/** Opens nothing yet: each source starts on first use. */
export function openSources(
  call: SessionsCall,
  { userHome, hasLists = userHome === undefined, store }: SourceOptions = {},
): Sources {
  const { home, env } = call;
  const policy = stallPolicyFromEnv(env);
  const addProofs = openProofs(home.path);
  const archive = openArchive(home.path, env);
  const mute = openMutes(home.path);
  const transcripts = transcriptSource(call, { userHome, keepsIndex: hasLists });
  let opened: SessionSource<RelayedTrack> | undefined;
  // Checked on use: an invalid setting must not prevent reading the other sources.
  const remote = (): SessionSource<RelayedTrack> | undefined => {
    const server = hasLists && store !== false ? sharedStore(store, env) : undefined;
    if (server !== undefined) opened ??= remoteSource(call, server);
    return opened;
  };
  return {
    hosted: hasLists ? hostedSource(home) : undefined,
    transcripts,
    get remote() {
      return remote();
    },
    addProofs,
    archive,
    mute,
    merge(hosted, external, relayed, now) {
      const here = addProofs(mergeTracks(hosted, external, now, policy));
      if (relayed.length === 0) return archive.add(mute(here, now), now);
      const all: AnyTrack[] = [...mute([...here, ...mergeRelayed(relayed, now, policy)], now)];
      return archive.add(
        all.sort((a, b) => b.updatedAt - a.updatedAt),
        now,
      );
    },
    async read(found) {
      const { track, hosted, external, relayed } = found;
      const id: TrackId = { session: track.session, agent: track.agent };
      const elsewhere = relayed && (await remote()?.read(id));
      if (elsewhere) return elsewhere;
      const driver = external && (await transcripts.driver());
      if (!hosted && external)
        return withProofsOf(
          home.path,
          externalList(external, driver, track.stalls),
          external.live.activity,
        );
      return withProofsOf(
        home.path,
        hostedList((await home.reading()).list(id), found, driver),
        found.activity,
      );
    },
  };
}
