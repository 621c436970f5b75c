import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { FileLines } from "../core/files/changed-files.ts";
import { commitBefore } from "./log.ts";
import type { Repository } from "./repository.ts";
import { git, namesIn } from "./run-git.ts";
import { emptyTree } from "./snapshot.ts";

/** The difference between a commit and the working tree, as `git diff --numstat` counts it. */
export interface LineCounts {
  /** The last commit before `time`; undefined if there was none. */
  readonly since: string | undefined;
  /** By path relative to the root of the repository. New files that are not ignored are included. */
  readonly files: ReadonlyMap<string, FileLines>;
}

/** A page waits for the answer. */
const TIMEOUT = 5_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_NEW_FILES = 500;
const MAX_NEW_FILE = 1024 * 1024;

/** Counts the lines that changed since the last commit before a time. Ends after a few seconds. */
export async function lineCounts(repository: Repository, time: number): Promise<LineCounts> {
  const { root } = repository;
  const options = { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT, signal: AbortSignal.timeout(TIMEOUT) };
  const since = await commitBefore(root, time, options.signal);
  const [changed, created] = await Promise.all([
    git(
      root,
      [
        "diff",
        "--numstat",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",
        since ?? emptyTree(repository),
        "--",
      ],
      options,
    ),
    git(root, ["ls-files", "-z", "--others", "--exclude-standard"], options),
  ]);
  const files = new Map<string, FileLines>();
  for (const line of namesIn(changed)) {
    const [path, lines] = parseLine(line) ?? [];
    if (path !== undefined && lines) files.set(path, lines);
  }
  for (const path of namesIn(created).slice(0, MAX_NEW_FILES))
    files.set(path, { added: linesOf(join(root, path)), removed: 0 });
  return { since, files };
}

/** Reads `12\t3\tpath`, and `-\t-\tpath` for a binary file. */
function parseLine(line: string): readonly [string, FileLines] | undefined {
  const [added = "", removed = "", ...path] = line.split("\t");
  if (path.length === 0) return undefined;
  const count = (text: string) => (text === "-" ? null : Number(text));
  return [path.join("\t"), { added: count(added), removed: count(removed) }];
}

/** The number of lines of a new file; null if it is binary, large or not readable. */
function linesOf(path: string): number | null {
  try {
    const handle = openSync(path, "r");
    try {
      const stats = fstatSync(handle);
      if (!stats.isFile() || stats.size > MAX_NEW_FILE) return null;
      const content = Buffer.alloc(stats.size);
      const text = content.subarray(0, readSync(handle, content, 0, stats.size, 0));
      if (text.includes(0)) return null;
      let lines = 0;
      for (const byte of text) if (byte === 0x0a) lines++;
      return text.length > 0 && text.at(-1) !== 0x0a ? lines + 1 : lines;
    } finally {
      closeSync(handle);
    }
  } catch {
    // Removed meanwhile, or not readable: its lines are not known.
    return null;
  }
}
