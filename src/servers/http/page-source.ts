import type { ChangedFiles } from "../../core/files/changed-files.ts";
import type { Event, TrackId } from "../../core/model.ts";
import { trackKey } from "../../core/text/ids.ts";
import {
  type ActivityTimeline,
  activityTimelineOf,
  createTimeline,
} from "../../core/views/activity-timeline.ts";
import { changeForWire, type DemoStatus } from "../../core/wire.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import { clearDelayOf } from "../../home/clear-delay.ts";
import type { Context } from "../../home/open.ts";
import { ownPrices } from "../../home/prices.ts";
import type { AnyTrack } from "../../sessions/any-track.ts";
import { changeArchive } from "../../sessions/archive.ts";
import { type Feed, withoutFiles } from "../../sessions/feed.ts";
import type { ReadList } from "../../sessions/read-list.ts";
import { boardRoutes } from "./board.ts";
import type { Broadcast } from "./broadcast.ts";
import { openRuns } from "./checks/runs.ts";
import type { Route } from "./routes.ts";
import { archiveRoute } from "./sessions/archive-route.ts";
import { jumpRoutes } from "./sessions/jump-routes.ts";
import { taskRoutes } from "./tasks/routes.ts";

type SourceCall = Pick<Context, "home" | "terminal" | "env">;

/** The data of the page: the agents of this machine, or the recorded demo. */
export interface PageSource {
  readonly routes: readonly Route[];
  /** Ends the subscriptions and running checks; the feed belongs to the caller. */
  stop(): Promise<void>;
}

export interface PageSourceOptions {
  readonly feed: Feed;
  readonly broadcast: Broadcast;
  /** Whether lists and tasks can be changed. */
  readonly isWritable: boolean;
  /** URL of the task server (default: that of the home). */
  readonly store?: string | undefined;
  readonly demo?: (() => DemoStatus) | undefined;
  /** Whether checks can be run: never in the demo, whose directories do not exist. */
  readonly hasChecks?: boolean;
}

export function pageSource(call: SourceCall, options: PageSourceOptions): PageSource {
  const { home, terminal } = call;
  const { feed, broadcast, isWritable, store, demo, hasChecks = false } = options;
  const onProblem = (error: unknown) => terminal.printError(`waymark: ${redactedMessage(error)}`);
  const context = { home, env: call.env };
  const checks = hasChecks ? { context, runs: openRuns(context, broadcast, onProblem) } : undefined;
  const unsubscribe = feed.subscribe((change) => {
    const { type, ...rest } = changeForWire(change);
    broadcast.publish(type, rest);
  });
  const stopProblems = feed.onProblem((problem) =>
    broadcast.publish("problem", { problem: problem ?? null }),
  );
  const openTasks = () => home.tasks("writing", store);
  const tasks = taskRoutes({
    ...(isWritable && { open: openTasks }),
    broadcast,
    prove: async (task) => {
      const { storedProofs } = await import("../verify/task-proof.ts");
      return storedProofs(call, feed.tracks)(task);
    },
    person: call.env.USER || call.env.USERNAME || undefined,
    onProblem,
  });
  const board = boardRoutes({
    tracks: () => feed.tracks().map(withoutFiles),
    past: (id) => pastOf(feed, id),
    files: (id) => filesOf(feed, id, hasChecks),
    readCall: async (id) => (await listOf(feed, id))?.call,
    readRevisions: async (id) => (await (await listOf(feed, id))?.revisions()) ?? [],
    ...(isWritable && {
      writing: () => home.writing(),
      tasks: openTasks,
      mutesIn: home.path,
    }),
    broadcast,
    ...(demo && { demo }),
    problem: feed.problem,
    clearDelay: clearDelayOf(call.env),
    checks,
    prices: ownPrices(call.env),
  });
  const archive = archiveRoute({
    tracks: feed.tracks,
    ...(isWritable && {
      async archive(changes) {
        await changeArchive(home.path, changes, Date.now());
        feed.refresh();
      },
    }),
  });
  return {
    routes: [
      ...board,
      ...tasks.routes,
      archive,
      ...jumpRoutes({
        tracks: feed.tracks,
        // The recorded agents of the demo and those of another home directory run in no terminal of this user.
        ...(isWritable &&
          !demo && { call: { home: home.path, env: call.env, tracks: feed.tracks } }),
      }),
    ],
    async stop() {
      unsubscribe();
      stopProblems();
      tasks.stop();
      await checks?.runs.stop();
    },
  };
}

/** The same event stream, which publishes nothing while `isShown` is false. */
export function whileShown(broadcast: Broadcast, isShown: () => boolean): Broadcast {
  return Object.create(broadcast, {
    publish: {
      value: (type: string, data: unknown) => {
        if (isShown()) broadcast.publish(type, data);
      },
    },
  });
}

/** The files that an agent changed. Git runs only where checks may: not in directories of the demo. */
async function filesOf(feed: Feed, id: TrackId, hasGit: boolean): Promise<ChangedFiles> {
  const found = trackOf(feed, id);
  if (!found) return { files: [], unnamed: 0, dropped: 0 };
  const { readChangedFiles } = await import("../files/read-changed-files.ts");
  return readChangedFiles(found, await feed.read(found), hasGit);
}

function trackOf(feed: Feed, id: TrackId): AnyTrack | undefined {
  const key = trackKey(id);
  return feed.tracks().find(({ track }) => trackKey(track) === key);
}

/** The history of a list, and the activity of its agent. */
async function pastOf(
  feed: Feed,
  id: TrackId,
): Promise<{ readonly events: readonly Event[]; readonly story: ActivityTimeline }> {
  const list = await listOf(feed, id);
  if (!list) return { events: [], story: createTimeline().timeline() };
  const events = await list.events();
  const full = await list.readInFull?.();
  return { events, story: full?.timeline ?? activityTimelineOf(events) };
}

async function listOf(feed: Feed, id: TrackId): Promise<ReadList | undefined> {
  const found = trackOf(feed, id);
  return found && feed.read(found);
}
