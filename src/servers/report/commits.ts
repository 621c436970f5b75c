import type { ReportCommit, ReportWindow } from "../../core/views/report/model.ts";
import { commitsSince } from "../../git/log.ts";
import { repositoryOf } from "../../git/repository.ts";
import { isDirectory } from "../../home/is-directory.ts";

/** More directories than agents work in on one machine in a night. */
const MAX_DIRECTORIES = 64;

export interface FoundCommits {
  readonly commits: readonly ReportCommit[];
  /** Directories whose git log could not be read. */
  readonly unreadLogs: readonly string[];
}

/** The commits of the window in the repositories of these directories, each once. */
export async function commitsIn(
  directories: readonly string[],
  { since, until }: ReportWindow,
): Promise<FoundCommits> {
  const roots = new Map<string, string[]>();
  const unreadLogs: string[] = [];
  const all = [...new Set(directories)];
  for (const cwd of all.slice(0, MAX_DIRECTORIES).filter(isDirectory)) {
    try {
      const root = (await repositoryOf(cwd))?.root;
      if (root !== undefined) roots.set(root, [...(roots.get(root) ?? []), cwd]);
    } catch {
      unreadLogs.push(cwd);
    }
  }
  const commits = new Map<string, ReportCommit>();
  for (const [root, own] of roots) {
    try {
      for (const commit of await commitsSince(root, since, until)) {
        // Working trees of one repository share commits.
        const known = commits.get(commit.hash);
        const inDirectories = [...(known?.directories ?? []), ...own];
        commits.set(commit.hash, {
          ...commit,
          root: known?.root ?? root,
          directories: inDirectories,
        });
      }
    } catch {
      unreadLogs.push(root);
    }
  }
  return {
    commits: [...commits.values()],
    unreadLogs: [...unreadLogs, ...all.slice(MAX_DIRECTORIES)],
  };
}
