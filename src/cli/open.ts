import { statSync } from "node:fs";
import { join } from "node:path";
import { andThen } from "../core/awaitable.ts";
import { WaymarkError } from "../core/error.ts";
import type { Rejection } from "../core/model.ts";
import { guidanceFor, guidanceFromEnv } from "../core/policy.ts";
import { isWaiting } from "../hosts/hook/spool.ts";
import { noteRefusal } from "../storage/refusals.ts";
import type { TaskStore } from "../tasks/store.ts";
import type { Tracker } from "../tracker.ts";
import { homePath } from "./home.ts";

/** What is kept on this machine. Opened when it is first needed, as far as it is needed. */
export interface Home {
  readonly path: string;
  /** Something is kept already. */
  isThere(): boolean;
  /** Nothing is kept, and nothing waits to be: what is read would be empty. */
  isEmpty(): boolean;
  /** To look at. Makes nothing: what is not there yet reads as empty. */
  reading(): Promise<Tracker>;
  /** To write to. */
  writing(): Promise<Tracker>;
  /** The tasks, on the server that is named or in this home; `reading` makes nothing. */
  tasks(purpose: "reading" | "writing", server?: string): Promise<TaskStore>;
  close(): Promise<void>;
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
    const [{ trackerOn }, { sqliteStore }, { writeSnapshot }, { writeStatus }] = await Promise.all([
      import("../tracker.ts"),
      import("../stores/sqlite.ts"),
      import("../stores/snapshot-file.ts"),
      import("../hosts/status.ts"),
    ]);
    const warn = (message: string) => say(`waymark: ${message}`);
    const snapshots = join(path, "todos");
    const guidance = guidanceFromEnv(env);
    const store = await sqliteStore(file, {
      onCommit: (track, listChanged) => {
        writeStatus(path, track, guidanceFor(guidance));
        // Most of what hosts report leaves the list as it is.
        if (listChanged) writeSnapshot(snapshots, track, warn);
      },
      onWarning: warn,
      ...(waitLimit !== undefined && { waitLimit }),
    });
    const onRefused = (rejected: readonly Rejection[]) => {
      for (const { code } of rejected) noteRefusal(path, "list", code);
    };
    return trackerOn(store, { guidance, onRefused });
  }

  /** What hooks left in the spool belongs to what is read and written from now on. */
  async function folded(tracker: Tracker): Promise<Tracker> {
    if (!fold || !isWaiting(path)) return tracker;
    const [{ foldSpool }, { logHook }] = await Promise.all([
      import("../hosts/hook/fold.ts"),
      import("../hosts/hook/log.ts"),
    ]);
    try {
      await foldSpool(path, tracker, (who, what) => logHook(path, who, what));
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

  const isEmpty = () => !open && !isThere(path, file) && !(fold && isWaiting(path));

  const writing = async () => {
    open ??= openStore();
    return folded(await open);
  };

  async function openTasks(
    purpose: "reading" | "writing",
    named = env.WAYMARK_STORE,
  ): Promise<TaskStore> {
    const server = named || undefined;
    if (purpose === "reading" && !server && !isThere(path, file)) {
      const { memoryTaskStore } = await import("../tasks/memory.ts");
      return memoryTaskStore();
    }
    const { openTasks: openAt } = await import("./open-tasks.ts");
    const store = await openAt(file, server, (message) => say(`waymark: ${message}`));
    return {
      ...store,
      apply: (op, sender) =>
        andThen(store.apply(op, sender), (answer) => {
          if (!answer.ok) noteRefusal(path, "task", answer.refused.code);
          return answer;
        }),
    };
  }

  return {
    path,
    isThere: () => isThere(path, file),
    isEmpty,
    writing,
    tasks(purpose, server) {
      openTaskStore ??= openTasks(purpose, server).catch((error: unknown) => {
        // A server that is away now may be there when it is asked for again.
        openTaskStore = undefined;
        throw error;
      });
      return openTaskStore;
    },
    reading: async () => (isEmpty() ? emptyTracker() : writing()),
    async close() {
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
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (cause) {
    if (cause instanceof WaymarkError) throw cause;
    const { message } = cause as Error;
    const way = "Check its owner and mode, or name another place with WAYMARK_HOME";
    throw new WaymarkError("home_unreadable", `Cannot look into ${path}: ${message}. ${way}.`, {
      cause,
    });
  }
}
