import { lstatSync } from "node:fs";
import { type Discovered, type FoundSource, lookAgain } from "./discover.ts";

/**
 * Notices soon, and cheaply, what a sweep would find: files that come and go by the time of their
 * folder, and growth of what was written to lately. Of the others a sweep tells, or the system.
 */
export interface MtimeCheck {
  /** How everything was when it was last looked at. */
  note(discovered: Pick<Discovered, "folders" | "roots">): void;
  /** A folder has another time than then, or is there at last. */
  foldersChanged(): boolean;
}

/** Milliseconds for which a file is one that was written to lately. */
const LATELY = 30 * 60_000;

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
    // Whoever may not look there sees nothing of it.
    return undefined;
  }
}

/** Written to lately, and since then again. */
export function hasChangedAgain(source: FoundSource, now: number): boolean {
  if (source.mtime < now - LATELY) return false;
  const looks = lookAgain(source);
  return looks?.size !== source.size || looks.mtime !== source.mtime;
}
