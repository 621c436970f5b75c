import { errorMessage } from "../core/error.ts";
import { emptyTrack, evolve } from "../core/evolve.ts";
import type { Track, TrackId } from "../core/model.ts";
import { trackKey } from "../core/text/ids.ts";
import { isStoreLost } from "../engines/storage/lost-store.ts";
import type { Home } from "../home/open.ts";
import type { RecordedEvent } from "../stores/store.ts";
import { hostedList } from "./read-list.ts";
import type { ListChange, SessionSource, Subscription } from "./source.ts";

type Lists = Pick<Home, "exists" | "reading">;

/** The lists in Waymark's own store. */
export interface HostedSource extends SessionSource<Track> {
  list(filter?: { readonly session?: string; readonly cwd?: string }): Promise<readonly Track[]>;
  subscribe(
    ...args: Parameters<SessionSource<Track>["subscribe"]>
  ): Promise<Subscription<Track> & Pick<HostedLists, "problem">>;
}

export function hostedSource(home: Lists): HostedSource {
  const listOf = async (id: TrackId) => (await home.reading()).list(id);
  return {
    list: async (filter) => (home.exists() ? (await home.reading()).tracks(filter) : []),
    async read(id) {
      const list = await listOf(id);
      return (await list.read()).version > 0 ? hostedList(list) : undefined;
    },
    history: async (id) => (await listOf(id)).events(),
    async subscribe({ onUpdates, onChange, onProblem, onRecovery }) {
      const lists = await followHosted(home, {
        onChange(change, before, after) {
          const { session, agent } = before;
          onUpdates?.([{ id: { session, agent }, change, before, after }]);
          onChange?.();
        },
        onProblem: (error) => onProblem?.(error),
        onRecovery: () => onRecovery?.(),
      });
      return {
        ready: Promise.resolve(),
        list: lists.tracks,
        problem: lists.problem,
        refresh: lists.poll,
        stop: lists.stop,
      };
    },
  };
}

/** Our own lists, kept up to date while other processes write to them. */
export interface HostedLists {
  tracks(): readonly Track[];
  /** Why the lists cannot be read or written now; the tracks may be out of date then. */
  problem(): string | undefined;
  /**
   * Checks for changes that cause no notification: the store may be created after the subscription, and
   * hooks leave their events for the next reader to ingest.
   */
  poll(): void;
  stop(): void;
}

export interface HostedOptions {
  /** `changes` is empty if the list existed before it was first read. */
  readonly onChange: (change: ListChange, before: Track, after: Track) => void;
  readonly onProblem: (error: unknown) => void;
  /** The lists can be read again. */
  readonly onRecovery?: () => void;
}

export async function followHosted(
  home: Lists,
  { onChange, onProblem, onRecovery }: HostedOptions,
): Promise<HostedLists> {
  const known = new Map<string, Track>();
  let isOpen = false;
  let isStopped = false;
  let isChecking = false;
  /** The store was replaced and the new one has not been read yet. */
  let isReplaced = false;
  let resync = async (): Promise<void> => {};
  let resyncing: Promise<void> | undefined;
  /** Events that arrive while the lists that they change are being read. */
  let early: RecordedEvent[] | undefined;
  let stop: (() => void) | undefined;

  const apply = ({ track: id, event }: RecordedEvent): void => {
    const key = trackKey(id);
    const before = known.get(key) ?? emptyTrack(id);
    // Already included: committed before the lists were read.
    if (event.seq <= before.version) return;
    const after = evolve(before, event);
    known.set(key, after);
    onChange(event, before, after);
  };
  const applyEarly = (): void => {
    const waiting = early ?? [];
    early = undefined;
    for (const recorded of waiting) apply(recorded);
  };

  const open = async (areUpdates: boolean): Promise<void> => {
    const tracker = await home.reading();
    if (isStopped) return;
    const readAgain = async (): Promise<void> => {
      const tracks = new Map((await tracker.tracks()).map((track) => [trackKey(track), track]));
      const all = new Map([...known, ...tracks]);
      for (const [key, { session, agent }] of all) {
        const empty = emptyTrack({ session, agent });
        const before = known.get(key) ?? empty;
        const after = tracks.get(key) ?? empty;
        if (tracks.has(key)) known.set(key, after);
        else known.delete(key);
        onChange({ at: after.updatedAt, changes: [] }, before, after);
      }
      isReplaced = false;
      applyEarly();
    };
    resync = () => {
      resyncing ??= readAgain().finally(() => {
        resyncing = undefined;
      });
      return resyncing;
    };
    early = [];
    // An earlier attempt may have failed after it began to watch.
    stop?.();
    stop = tracker.watch(
      (recorded) => {
        if (early) early.push(recorded);
        else apply(recorded);
      },
      () => {
        isReplaced = true;
        early ??= [];
        resync().catch(problem);
      },
    );
    for (const track of await tracker.tracks()) {
      const key = trackKey(track);
      const before = known.get(key) ?? emptyTrack(track);
      if (before.version >= track.version) continue;
      known.set(key, track);
      if (areUpdates) onChange({ at: track.updatedAt, changes: [] }, before, track);
    }
    applyEarly();
    isOpen = true;
  };

  const checkNow = async (): Promise<void> => {
    // Reads the file, so that a lost store is noticed without a write.
    if (isOpen) await (await home.reading()).tracks({ limit: 1 });
    else if (home.exists()) await open(true);
    if (isReplaced) await resync();
    if (reported === undefined) return;
    reported = undefined;
    onRecovery?.();
  };
  let reported: string | undefined;
  /** Reports a repeated problem once. */
  const problem = (error: unknown): void => {
    const message = errorMessage(error);
    if (isStopped || message === reported) return;
    reported = message;
    onProblem(error);
  };

  if (home.exists())
    await open(false).catch((error: unknown) => {
      // Other sources are shown while the user decides how to continue.
      if (!isStoreLost(error)) throw error;
      problem(error);
    });
  return {
    tracks: () => [...known.values()],
    problem: () => reported,
    poll() {
      if (isStopped || isChecking) return;
      isChecking = true;
      checkNow()
        .catch(problem)
        .finally(() => {
          isChecking = false;
        });
    },
    stop() {
      isStopped = true;
      stop?.();
    },
  };
}
