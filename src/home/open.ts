/**
 * home: the directory of Waymark on this machine (`WAYMARK_HOME`). Opens stores and tasks in it, keeps
 * the spool of hook events, the status file for status lines, the running server and the machine id.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { givenEnvironment, settingsIn } from "../config/load.ts";
import { type ProofRecord, withProofs } from "../core/checks/proof.ts";
import { collisionsFromEnv } from "../core/collisions/uses.ts";
import { WaymarkError } from "../core/error.ts";
import { guidanceFor, guidanceFromEnv, policyFromEnv } from "../core/list/policy.ts";
import type { Rejection, Track, TrackId } from "../core/model.ts";
import { tracesOf } from "../engines/storage/lost-store.ts";
import { logRefusal } from "../engines/storage/refusals.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import type { Store } from "../stores/store.ts";
import { type ActivityMonitor, createActivityMonitor } from "../tasks/links/lease-renewal.ts";
import { createTaskLinks, type TaskLinks } from "../tasks/links/links.ts";
import type { TaskStore } from "../tasks/store.ts";
import type { Tracker } from "../tracker.ts";
import { homePath } from "./path.ts";
import { hasPending } from "./spool.ts";

/** The home of Waymark on this machine. Each part is opened when it is first needed. */
export interface Home {
  readonly path: string;
  /** Path of the store. */
  readonly store: string;
  /** Whether there is a store, a lost one, or spooled events. */
  exists(): boolean;
  /** Opens the lists for reading. Creates nothing: a missing store reads as empty, a lost one throws. */
  reading(): Promise<Tracker>;
  /** Opens the lists for writing. */
  writing(): Promise<Tracker>;
  /**
   * Opens the tasks, on the named server or in this home, after ingesting what hooks saw of their
   * owners. `reading` creates nothing.
   */
  tasks(purpose: "reading" | "writing", server?: string): Promise<TaskStore>;
  /** Renews the leases of active agents. */
  readonly monitor: ActivityMonitor;
  /** Keeps linked todos and tasks in step. */
  readonly links: TaskLinks;
  /** Updates the status of agents for which a proof was recorded. A failure becomes a warning. */
  proofsRecorded(ids: readonly TrackId[]): Promise<void>;
  close(): Promise<void>;
}

/** The stores that a command or server works with. */
export interface Context {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: {
    /** Prints a message to standard error. */
    printError(line: string): void;
    /** Shows the progress of long work. */
    progress(what: string): Progress;
  };
}

export interface Progress {
  update(done: number, total: number): void;
  end(): void;
}

export interface HomeOptions {
  /** How long a call waits for other processes, in milliseconds. */
  readonly waitLimit?: number;
  /** Ingest the spool before reads and writes (default: true). */
  readonly ingest?: boolean;
}

/** The store of the lists, and what depends on it. */
interface OpenStore {
  readonly tracker: Tracker;
  readonly store: Store;
  /** Writes the status of a track again. */
  refresh(track: Track): void;
}

export function openHome(
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
  { waitLimit, ingest = true }: HomeOptions = {},
): Home {
  const path = homePath(env, process.platform);
  const file = join(path, "waymark.db");
  let open: Promise<OpenStore> | undefined;
  let openTaskStore: Promise<TaskStore> | undefined;

  async function openStore(): Promise<OpenStore> {
    const [
      { trackerOn },
      { sqliteStore },
      { writeSnapshot },
      status,
      { readProofs },
      { markTrack },
    ] = await Promise.all([
      import("../tracker.ts"),
      import("../stores/sqlite.ts"),
      import("../stores/snapshot-file.ts"),
      import("./status.ts"),
      import("../checks/proofs.ts"),
      import("./edits/mark-track.ts"),
    ]);
    const proofs = ({ session }: TrackId): readonly ProofRecord[] => {
      try {
        return readProofs(path, session);
      } catch {
        // Proofs that cannot be read must not stop a list write. Commands that show proofs report the error.
        return [];
      }
    };
    const proven = (track: Track) => withProofs(track, proofs(track));
    const warn = (message: string) => print(`waymark: ${message}`);
    const snapshots = join(path, "todos");
    const guidance = guidanceFromEnv(env);
    // The session may work in another project than this process.
    const remindersOf = ({ cwd }: Track) => guidanceFor(guidanceFromEnv(settingsIn(env, cwd)));
    // Like hooks, which do not read files: without marks, each edit would load the program.
    const watchesFiles = collisionsFromEnv(givenEnvironment(env)).scope !== "off";
    const store = await sqliteStore(file, {
      createDirectory: true,
      onCommit: (track, listChanged, former, before) => {
        status.writeStatusFile(path, proven(track), remindersOf(track));
        if (watchesFiles) markTrack(path, track, listChanged);
        if (listChanged) links.listChanged(track, before);
        // Most observations do not change the list.
        if (listChanged) writeSnapshot(snapshots, track, warn, former);
      },
      onWarning: warn,
      ...(waitLimit !== undefined && { waitLimit }),
    });
    const onRefused = (rejected: readonly Rejection[]) => {
      for (const { code } of rejected) logRefusal(path, "list", code);
    };
    const refresh = (track: Track) =>
      status.refreshStatusFile(path, proven(track), remindersOf(track));
    const policy = policyFromEnv(env);
    return { tracker: trackerOn(store, { guidance, policy, proofs, onRefused }), store, refresh };
  }

  /** Ingests the events that hooks left in the spool. */
  async function ingested(tracker: Tracker): Promise<Tracker> {
    if (!ingest || !hasPending(path)) return tracker;
    const [{ ingestSpool }, { logHook }, { leaseOwners }] = await Promise.all([
      import("../servers/hooks/ingest.ts"),
      import("../servers/hooks/log.ts"),
      import("../sessions/caller/session.ts"),
    ]);
    try {
      await ingestSpool(path, tracker, {
        onProblem: (who, what) => logHook(path, who, what),
        onActivity: (id, at) => {
          for (const owner of leaseOwners(id)) monitor.noteActive(owner, at);
        },
      });
    } catch (error) {
      // The events stay in the spool: they must not make the caller fail.
      logHook(path, "fold", error);
    }
    return tracker;
  }

  async function emptyTracker(): Promise<Tracker> {
    const [{ trackerOn }, { memoryStore }] = await Promise.all([
      import("../tracker.ts"),
      import("../stores/memory.ts"),
    ]);
    return trackerOn(memoryStore()) as unknown as Tracker;
  }

  const isAnything = () =>
    open !== undefined || isThere(path, file) || (ingest && hasPending(path));

  const opened = () => {
    open ??= openStore().catch((error: unknown) => {
      // The next call tries again.
      open = undefined;
      throw error;
    });
    return open;
  };
  const tracker = async () => (await opened()).tracker;
  const writing = async () => ingested(await tracker());
  const knownTasks = () => {
    const server = env.WAYMARK_STORE || undefined;
    if (!openTaskStore && !server && !isThere(path, file)) return undefined;
    return taskStore(server);
  };
  const onProblem = (error: unknown) => print(`waymark: ${redactedMessage(error)}`);
  const monitor = createActivityMonitor({ tasks: knownTasks, onProblem });
  const links = createTaskLinks({
    lists: (purpose) =>
      purpose === "writing" || open || isThere(path, file) ? tracker() : emptyTracker(),
    tasks: async () => (await knownTasks()) ?? noTasks(),
    onProblem(error) {
      const why = redactedMessage(error);
      print(
        `waymark: The change was made, but linked todos and tasks were not updated; the next change retries: ${why}`,
      );
    },
  });

  function taskStore(server: string | undefined): Promise<TaskStore> {
    openTaskStore ??= openTasks(server).catch((error: unknown) => {
      // The next call tries again.
      openTaskStore = undefined;
      throw error;
    });
    return openTaskStore;
  }

  async function openTasks(server: string | undefined): Promise<TaskStore> {
    const { openTasks: openAt } = await import("./open-tasks.ts");
    const store = await openAt(file, server, (message) => print(`waymark: ${message}`));
    return {
      ...store,
      async apply(op, sender) {
        const answer = await store.apply(op, sender);
        if (!answer.ok) logRefusal(path, "task", answer.refused.code);
        await links.taskChanged(op, answer, sender.by);
        return answer;
      },
    };
  }

  async function noTasks(): Promise<TaskStore> {
    const { memoryTaskStore } = await import("../tasks/memory.ts");
    return memoryTaskStore();
  }

  return {
    path,
    store: file,
    exists: isAnything,
    writing,
    monitor,
    links,
    async tasks(purpose, named = env.WAYMARK_STORE) {
      const server = named || undefined;
      // Not remembered: the store may exist the next time.
      if (!openTaskStore && purpose === "reading" && !server && !isThere(path, file))
        return noTasks();
      const store = await taskStore(server);
      await links.settled();
      // Spooled activity may renew leases that seem to have expired.
      if (ingest && hasPending(path)) {
        await writing();
        await monitor.settled();
      }
      return store;
    },
    async proofsRecorded(ids) {
      try {
        if (!open && !isThere(path, file)) return;
        const { store, refresh } = await opened();
        // Commits nothing: the exclusive step keeps the status file in order.
        for (const id of ids)
          await store.commit(id, "status", (track) => {
            if (track.version > 0) refresh(track);
            return { ok: false, rejected: [] };
          });
      } catch (error) {
        print(
          `waymark: The proof is recorded; the status is updated with the next change: ${redactedMessage(error)}`,
        );
      }
    },
    reading: async () => (isAnything() ? writing() : emptyTracker()),
    async close() {
      await Promise.all([monitor.settled(), links.settled()]);
      await (await open)?.tracker.close();
      // A store that could not be opened is reported to the caller that needed it.
      const tasks = await openTaskStore?.catch(() => undefined);
      await tasks?.close();
    },
  };
}

function isThere(path: string, file: string): boolean {
  try {
    const home = statSync(path, { throwIfNoEntry: false });
    if (home && !home.isDirectory())
      throw new WaymarkError(
        "home_not_directory",
        `${path} is a file, not a directory. Set WAYMARK_HOME to another directory.`,
      );
    return statSync(file, { throwIfNoEntry: false }) !== undefined || tracesOf(file) !== undefined;
  } catch (cause) {
    throw cause instanceof WaymarkError ? cause : unreadableHome(path, cause);
  }
}

export function unreadableHome(path: string, cause: unknown): WaymarkError {
  const { message } = cause as Error;
  const way = "Check its owner and mode, or set WAYMARK_HOME to another directory";
  return new WaymarkError("home_unreadable", `Cannot read ${path}: ${message}. ${way}.`, {
    cause,
  });
}
