import { lstatSync } from "node:fs";
import { type Discovered, type FoundSource, restat } from "./discover.ts";

/**
 * A cheap check for most of what a sweep would find: new and removed files by the mtime of their folder.
 * `hasChangedAgain` finds growth of recently written files. Sweeps and file events find the rest.
 */
export interface MtimeCheck {
  /** Records the current mtimes. */
  note(discovered: Pick<Discovered, "folders" | "roots">): void;
  /** Whether a folder changed or appeared since then. */
  foldersChanged(): boolean;
}

/** How long a file counts as recently written, in milliseconds. */
const RECENT = 30 * 60_000;

export function createMtimeCheck(): MtimeCheck {
  let times: ReadonlyMap<string, number | undefined> = new Map();
  return {
    note({ folders, roots }) {
      const all = new Set([...folders, ...roots.map(({ root }) => root)]);
      times = new Map([...all].map((folder) => [folder, timeOf(folder)]));
    },
    foldersChanged() {
      for (const [folder, time] of times) if (timeOf(folder) !== time) return true;
      return false;
    },
  };
}

function timeOf(folder: string): number | undefined {
  try {
    return lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    // Not accessible.
    return undefined;
  }
}

/** Whether a recently written file was written to again. */
export function hasChangedAgain(source: FoundSource, now: number): boolean {
  if (source.mtime < now - RECENT) return false;
  const current = restat(source);
  return current?.size !== source.size || current.mtime !== source.mtime;
}
