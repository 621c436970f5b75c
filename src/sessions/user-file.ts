import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { takeLock } from "../checks/file-lock.ts";
import { WaymarkError } from "../core/error.ts";
import { isRecord } from "../core/values.ts";
import { fileFailure } from "../engines/storage/failure.ts";
import { ensureDirectory, replaceFile, syncDirectory } from "../engines/storage/files.ts";
import { refuseNewerFile } from "../engines/storage/migrations.ts";
import { watchVersion } from "../engines/storage/poller.ts";

const VERSION = 1;
const LOCK_LIMIT = 10_000;

/**
 * A small JSON file in Waymark's home with decisions of the user, read and written by all processes. A file of a newer
 * Waymark is read as far as this one understands it, and not changed.
 */
export interface UserFile<T> {
  read(home: string): T;
  /**
   * Returns the current content, or the last one while the file cannot be read. Costs one `stat` while nothing
   * changes.
   */
  reader(home: string): () => T;
  /** Replaces the content durably. Concurrent writers wait for each other. */
  change(home: string, next: (current: T) => T): Promise<void>;
  /** Calls back when the file changed, in any process. Returns the function that stops it. */
  watch(home: string, onChange: () => void): () => void;
}

export interface UserFileFormat<T> {
  readonly name: string;
  /** The content, as error messages call it. */
  readonly what: string;
  /** Skips damaged entries; a file that is not JSON is read as `{}`. */
  parse(content: Readonly<Record<string, unknown>>): T;
  print(content: T): Readonly<Record<string, unknown>>;
}

export function userFile<T>({ name, what, parse, print }: UserFileFormat<T>): UserFile<T> {
  const version = (home: string): string => {
    const stats = statSync(join(home, name), { throwIfNoEntry: false });
    return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : "";
  };
  const load = (home: string): Readonly<Record<string, unknown>> => {
    const file = join(home, name);
    try {
      return contentOf(readFileSync(file, "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
      throw fileFailure(`Reading ${what}`, file, error);
    }
  };
  const read = (home: string): T => parse(load(home));
  return {
    read,
    reader(home) {
      let known: string | undefined;
      let content: T;
      return () => {
        try {
          const current = version(home);
          if (current === known) return content;
          content = read(home);
          known = current;
        } catch (error) {
          if (known === undefined) throw error;
        }
        return content;
      };
    },
    async change(home, next) {
      const file = join(home, name);
      try {
        ensureDirectory(home);
        const release = await takeLock(`${file}.lock`, { limitMs: LOCK_LIMIT });
        if (!release)
          throw new WaymarkError(
            "file_busy",
            `Another process has locked ${file}, so nothing was changed. Try again.`,
          );
        try {
          const current = load(home);
          refuseNewerFile(current.version, VERSION, file);
          const content = { version: VERSION, ...print(next(parse(current))) };
          replaceFile(file, `${JSON.stringify(content)}\n`);
          syncDirectory(home);
        } finally {
          release();
        }
      } catch (error) {
        throw fileFailure(`Changing ${what}`, file, error);
      }
    },
    watch: (home, onChange) => watchVersion(() => version(home), onChange),
  };
}

function contentOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    return isRecord(read) ? read : {};
  } catch {
    return {};
  }
}
