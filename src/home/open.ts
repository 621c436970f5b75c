/**
 * home: the directory of Waymark on this machine (`WAYMARK_HOME`). Opens stores and tasks in it, keeps
 * the spool of hook events, the status file for status lines, the running server and the machine id.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { WaymarkError } from "../core/error.ts";
import { guidanceFor, guidanceFromEnv, policyFromEnv } from "../core/list/policy.ts";
import type { Rejection } from "../core/model.ts";
import { tracesOf } from "../engines/storage/lost.ts";
import { noteRefusal } from "../engines/storage/refusals.ts";
import { redactedMessage } from "../engines/storage/warn.ts";
import { type ActivityMonitor, createActivityMonitor } from "../tasks/links/lease-renewal.ts";
import { createTaskLinks, type TaskLinks } from "../tasks/links/links.ts";
import type { TaskStore } from "../tasks/store.ts";
import type { Tracker } from "../tracker.ts";
import { homePath } from "./path.ts";
import { isWaiting } from "./spool.ts";

/** What is kept on this machine. Opened when it is first needed, as far as it is needed. */
export interface Home {
  readonly path: string;
  /** The file of the store. */
  readonly store: string;
  /** Something is kept already, was kept and is lost, or waits to be. */
  isThere(): boolean;
  /** To look at. Makes nothing: what is not there yet reads as empty, what is lost is refused. */
  reading(): Promise<Tracker>;
  /** To write to. */
  writing(): Promise<Tracker>;
  /**
   * The tasks, on the server that is named or in this home, after what hooks saw of the holders.
   * `reading` makes nothing.
   */
  tasks(purpose: "reading" | "writing", server?: string): Promise<TaskStore>;
  /** Renews the leases of agents that are seen at work. */
  readonly monitor: ActivityMonitor;
  /** Todos and tasks that stand for each other. */
  readonly links: TaskLinks;
  close(): Promise<void>;
}

/** What a part of the program works with. A call of a command is one. */
export interface Context {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: {
    /** Prints a message for the user beside the output. */
    say(line: string): void;
    /** Shows how far a long piece of work is. */
    progress(what: string): Progress;
  };
}

export interface Progress {
  update(done: number, total: number): void;
  end(): void;
}

export interface HomeOptions {
  /** Milliseconds that a call waits for other processes. */
  readonly waitLimit?: number;
  /** False for who folds the spool in its own time. */
  readonly fold?: boolean;
}

export function openHome(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  { waitLimit, fold = true }: HomeOptions = {},
): Home {
  const path = homePath(env, process.platform);
  const file = join(path, "waymark.db");
  let open: Promise<Tracker> | undefined;
  let openTaskStore: Promise<TaskStore> | undefined;

  async function openStore(): Promise<Tracker> {
    const [{ trackerOn }, { sqliteStore }, { writeSnapshot }, { writeStatusFile }] =
      await Promise.all([
        import("../tracker.ts"),
        import("../stores/sqlite.ts"),
        import("../stores/snapshot-file.ts"),
        import("./status.ts"),
      ]);
    const warn = (message: string) => say(`waymark: ${message}`);
    const snapshots = join(path, "todos");
    const guidance = guidanceFromEnv(env);
    const store = await sqliteStore(file, {
      createDirectory: true,
      onCommit: (track, listChanged, former) => {
        writeStatusFile(path, track, guidanceFor(guidance));
        if (listChanged) links.listChanged(track);
        // Most of what hosts report leaves the list as it is.
        if (listChanged) writeSnapshot(snapshots, track, warn, former);
      },
      onWarning: warn,
      ...(waitLimit !== undefined && { waitLimit }),
    });
    const onRefused = (rejected: readonly Rejection[]) => {
      for (const { code } of rejected) noteRefusal(path, "list", code);
    };
    return trackerOn(store, { guidance, policy: policyFromEnv(env), onRefused });
  }

  /** What hooks left in the spool belongs to what is read and written from now on. */
  async function folded(tracker: Tracker): Promise<Tracker> {
    if (!fold || !isWaiting(path)) return tracker;
    const [{ foldSpool }, { logHook }, { ownersAtWork }] = await Promise.all([
      import("../servers/hooks/fold.ts"),
      import("../servers/hooks/log.ts"),
      import("../sessions/caller/session.ts"),
    ]);
    try {
      await foldSpool(path, tracker, {
        problem: (who, what) => logHook(path, who, what),
        saw: (id, at) => {
          for (const owner of ownersAtWork(id)) monitor.noteActive(owner, at);
        },
      });
    } catch (error) {
      // It stays where it is: what was asked for must not fail for it.
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

  const isAnything = () => open !== undefined || isThere(path, file) || (fold && isWaiting(path));

  const tracker = () => {
    open ??= openStore().catch((error: unknown) => {
      // What cannot be opened now may be when it is asked for again, and there is nothing to close.
      open = undefined;
      throw error;
    });
    return open;
  };
  const writing = async () => folded(await tracker());
  const knownTasks = () => {
    const server = env.WAYMARK_STORE || undefined;
    if (!openTaskStore && !server && !isThere(path, file)) return undefined;
    return taskStore(server);
  };
  const onProblem = (error: unknown) => say(`waymark: ${redactedMessage(error)}`);
  const monitor = createActivityMonitor({ tasks: knownTasks, onProblem });
  const links = createTaskLinks({
    lists: (purpose) =>
      purpose === "writing" || open || isThere(path, file) ? tracker() : emptyTracker(),
    tasks: async () => (await knownTasks()) ?? noTasks(),
    onProblem(error) {
      const why = redactedMessage(error);
      say(`waymark: It is done; what is linked to it is brought up to date the next time: ${why}`);
    },
  });

  function taskStore(server: string | undefined): Promise<TaskStore> {
    openTaskStore ??= openTasks(server).catch((error: unknown) => {
      // A server that is away now may be there when it is asked for again.
      openTaskStore = undefined;
      throw error;
    });
    return openTaskStore;
  }

  async function openTasks(server: string | undefined): Promise<TaskStore> {
    const { openTasks: openAt } = await import("./open-tasks.ts");
    const store = await openAt(file, server, (message) => say(`waymark: ${message}`));
    return {
      ...store,
      async apply(op, sender) {
        const answer = await store.apply(op, sender);
        if (!answer.ok) noteRefusal(path, "task", answer.refused.code);
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
    isThere: isAnything,
    writing,
    monitor,
    links,
    async tasks(purpose, named = env.WAYMARK_STORE) {
      const server = named || undefined;
      // What is not there yet may be there the next time.
      if (!openTaskStore && purpose === "reading" && !server && !isThere(path, file))
        return noTasks();
      const store = await taskStore(server);
      await links.settled();
      // Who was at work holds its tasks still, though nobody was there to say so.
      if (fold && isWaiting(path)) {
        await writing();
        await monitor.settled();
      }
      return store;
    },
    reading: async () => (isAnything() ? writing() : emptyTracker()),
    async close() {
      await Promise.all([monitor.settled(), links.settled()]);
      await (await open)?.close();
      await (await openTaskStore)?.close();
    },
  };
}

function isThere(path: string, file: string): boolean {
  try {
    const home = statSync(path, { throwIfNoEntry: false });
    if (home && !home.isDirectory())
      throw new WaymarkError(
        "home_not_directory",
        `${path} is a file, not a directory. Name another place with WAYMARK_HOME.`,
      );
    return statSync(file, { throwIfNoEntry: false }) !== undefined || tracesOf(file) !== undefined;
  } catch (cause) {
    throw cause instanceof WaymarkError ? cause : unreadableHome(path, cause);
  }
}

export function unreadableHome(path: string, cause: unknown): WaymarkError {
  const { message } = cause as Error;
  const way = "Check its owner and mode, or name another place with WAYMARK_HOME";
  return new WaymarkError("home_unreadable", `Cannot look into ${path}: ${message}. ${way}.`, {
    cause,
  });
}
