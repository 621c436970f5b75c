import { watchProofs } from "../checks/proofs.ts";
import { type Activity, stallsAt } from "../core/activity/activity.ts";
import { inactiveAt, type StallPolicy } from "../core/activity/stall.ts";
import type { Track } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { AnyTrack } from "./any-track.ts";
import { watchArchive } from "./archive.ts";
import { renewLeases } from "./lease-renewal.ts";
import { watchMutes } from "./mutes.ts";
import type { ReadList } from "./read-list.ts";
import type { SessionUpdate, Subscriber } from "./source.ts";
import { openSources, type SessionsCall, type SourceOptions } from "./sources.ts";
import type { ExternalTrack } from "./transcripts/catalog.ts";

/** Follows all sources at once and merges them on request. */
export interface LiveSessions {
  /** Resolves when everything that existed at the start was read. */
  readonly ready: Promise<void>;
  /** The merged tracks at a time, newest first. */
  tracks(now: number, select?: Select): readonly AnyTrack[];
  /** Whether our store already reported the list of this update: a transcript has it a moment later. */
  isReported(update: SessionUpdate): boolean;
  /** One track in full, with its history. */
  read(found: AnyTrack): Promise<ReadList>;
  /** Why our own lists may be out of date; undefined while they are not. */
  problem(): string | undefined;
  /** Call it every second: finds changes of our own lists that no notification reports. */
  poll(): void;
  /** Looks at every source now. */
  refresh(): void;
  stop(): void;
}

/** Leaves out what need not be merged. */
export interface Select {
  readonly session?: (session: string) => boolean;
  /** Called with the tracks of transcripts, newest first. */
  readonly external?: (tracks: readonly ExternalTrack[]) => readonly ExternalTrack[];
}

const ALL: Select = {};
/** How much later than our store a transcript has the same list, at most. */
const TRANSCRIPT_DELAY = 5_000;

/** Follows our store, the transcripts and other machines. Renews the leases of active agents. */
export async function followSessions(
  call: SessionsCall,
  options: SourceOptions,
  subscriber: Subscriber,
): Promise<LiveSessions> {
  const { home, terminal } = call;
  const sources = openSources(call, options);
  const report = (error: unknown): void =>
    terminal.printError(`waymark: ${redactedMessage(error)}`);
  const hosted = await sources.hosted?.subscribe({
    ...subscriber,
    onProblem(error) {
      report(error);
      subscriber.onProblem?.(error);
    },
  });
  const remote = await sources.remote?.subscribe(subscriber);
  const leases = hosted && renewLeases(home, report);
  const transcripts = await sources.transcripts.subscribe({
    ...subscriber,
    onUpdates(updates) {
      leases?.renew(updates);
      subscriber.onUpdates?.(updates);
    },
  });
  const stopProofs = watchProofs(home.path, () => subscriber.onChange?.());
  const stopArchive = watchArchive(home.path, () => subscriber.onChange?.());
  const stopMutes = watchMutes(home.path, () => subscriber.onChange?.());
  return {
    ready: Promise.all([transcripts.ready, remote?.ready]).then(() => undefined),
    tracks(now, { session: has, external } = ALL) {
      const ours = hosted?.list() ?? [];
      const theirs = transcripts.list();
      const others = remote?.list() ?? [];
      const isWanted = (track: Pick<Track, "session">) => !has || has(track.session);
      const found = has ? theirs.filter(({ live }) => isWanted(live)) : theirs;
      const merged = sources.merge(
        has ? ours.filter(isWanted) : ours,
        external ? external(found) : found,
        others,
        now,
      );
      return has && others.length > 0 ? merged.filter(({ track }) => isWanted(track)) : merged;
    },
    isReported({ id, written }) {
      if (written?.event.type !== "todo_list") return false;
      const track = hosted?.list().find((each) => trackKey(each) === trackKey(id));
      return track !== undefined && track.updatedAt > written.event.timestamp - TRANSCRIPT_DELAY;
    },
    read: sources.read,
    problem: () => hosted?.problem(),
    poll: () => hosted?.refresh(),
    refresh() {
      hosted?.refresh();
      transcripts.refresh();
      remote?.refresh();
    },
    stop() {
      stopProofs();
      stopArchive();
      stopMutes();
      leases?.stop();
      transcripts.stop();
      remote?.stop();
      hosted?.stop();
    },
  };
}

/** Tracks of sessions in which an agent works: the state of others does not change with time. */
export function busyTracks(
  tracks: readonly ExternalTrack[],
  now: number,
  policy: StallPolicy,
): readonly ExternalTrack[] {
  const isWorking = (activity: Activity) =>
    activity.turn === "running" && now < inactiveAt(stallsAt(activity, policy));
  const sessions = new Set(
    tracks.flatMap(({ live }) => (isWorking(live.activity) ? [live.session] : [])),
  );
  return tracks.filter(({ live }) => sessions.has(live.session));
}
