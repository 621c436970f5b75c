import { namesIn, runGit } from "./run-git.ts";

/** A commit of the current branch. */
export interface Commit {
  readonly hash: string;
  /** When it was committed. */
  readonly at: number;
  /** First line of the message. External text: encode it for its sink. */
  readonly subject: string;
  /** Changed files, relative to the repository, at most 1,000. */
  readonly files: readonly string[];
}

const MAX_COMMITS = 1_000;
const MAX_FILES = 1_000;

/** A time as git reads it without guessing. */
function gitTime(ms: number): string {
  return `@${Math.max(0, Math.floor(ms / 1000))} +0000`;
}

/**
 * The commits of the current branch of a directory between two times, newest first, at most 1,000. Empty outside of
 * git and before the first commit.
 */
export async function commitsSince(
  cwd: string,
  since: number,
  until: number = Date.now(),
  signal?: AbortSignal,
): Promise<readonly Commit[]> {
  const args = [
    "log",
    "-z",
    `--max-count=${MAX_COMMITS}`,
    `--since=${gitTime(since)}`,
    `--until=${gitTime(until)}`,
    "--format=%H %ct %s",
    "--no-show-signature",
    "HEAD",
  ];
  const { code, stdout } = await runGit(cwd, args, { signal });
  if (code !== 0) return [];
  const commits = namesIn(stdout.toString("utf8")).map((line) => {
    const [hash = "", seconds = "0"] = line.split(" ", 2);
    const subject = line.slice(hash.length + seconds.length + 2);
    return { hash, at: Number(seconds) * 1000, subject };
  });
  const files = await filesOf(
    cwd,
    commits.map(({ hash }) => hash),
    signal,
  );
  return commits.map((commit) => ({ ...commit, files: files.get(commit.hash) ?? [] }));
}

/** Changed files by commit; none for merges. */
async function filesOf(
  cwd: string,
  hashes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  if (hashes.length === 0) return found;
  const { stdout } = await runGit(
    cwd,
    ["diff-tree", "--stdin", "--root", "-r", "-z", "--no-renames", "--name-only"],
    { signal, input: hashes.map((hash) => `${hash}\n`).join("") },
  );
  const known = new Set(hashes);
  let files: string[] = [];
  for (const name of namesIn(stdout.toString("utf8"))) {
    if (known.has(name)) {
      files = [];
      found.set(name, files);
    } else if (files.length < MAX_FILES) files.push(name);
  }
  return found;
}

/** The last commit of the current branch at or before a time; undefined if there is none. */
export async function commitBefore(
  cwd: string,
  time: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const args = ["rev-list", "-1", `--before=${gitTime(time)}`, "HEAD"];
  const { code, stdout } = await runGit(cwd, args, { signal });
  const hash = stdout.toString("utf8").trim();
  return code === 0 && hash !== "" ? hash : undefined;
}
