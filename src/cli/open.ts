import { statSync } from "node:fs";
import { join } from "node:path";
import { WaymarkError } from "../core/error.ts";
import { guidanceFromEnv } from "../core/policy.ts";
import { type Tracker, trackerOn } from "../tracker.ts";
import { homePath } from "./home.ts";

/** What is kept on this machine. Opened when it is first needed, as far as it is needed. */
export interface Home {
  readonly path: string;
  /** To look at. Makes nothing: what is not there yet reads as empty. */
  reading(): Promise<Tracker>;
  /** To write to. */
  writing(): Promise<Tracker>;
  close(): Promise<void>;
}

export function openHome(env: NodeJS.ProcessEnv, say: (line: string) => void): Home {
  const path = homePath(env, process.platform);
  const file = join(path, "waymark.db");
  let open: Promise<Tracker> | undefined;

  async function openStore(): Promise<Tracker> {
    const [{ sqliteStore }, { writeSnapshot }] = await Promise.all([
      import("../stores/sqlite.ts"),
      import("../stores/snapshot-file.ts"),
    ]);
    const warn = (message: string) => say(`waymark: ${message}`);
    const snapshots = join(path, "todos");
    const store = await sqliteStore(file, {
      onCommit: (track) => writeSnapshot(snapshots, track, warn),
      onWarning: warn,
    });
    return trackerOn(store, { guidance: guidanceFromEnv(env) });
  }

  async function emptyTracker(): Promise<Tracker> {
    const { memoryStore } = await import("../stores/memory.ts");
    return trackerOn(memoryStore()) as unknown as Tracker;
  }

  const writing = () => {
    open ??= openStore();
    return open;
  };

  return {
    path,
    writing,
    reading: () => (open || isThere(path, file) ? writing() : emptyTracker()),
    async close() {
      await (await open)?.close();
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
