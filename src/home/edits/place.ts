import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/** The location of a file, by which it is compared with others. */
export interface Place {
  /** The path without links. */
  readonly path: string;
  /** The root of the worktree, if the file is in one. */
  readonly worktree?: string;
  /** The repository that the worktree belongs to. */
  readonly repository?: string;
}

/** Finds the location of a file that may not exist yet. */
export function placeOf(path: string): Place {
  const real = realPath(path);
  const worktree = worktreeOf(dirname(real));
  if (worktree === undefined) return { path: real };
  const repository = repositoryAt(worktree);
  return { path: real, worktree, ...(repository !== undefined && { repository }) };
}

/** Resolves links, as far as the directories of a new file exist. */
function realPath(path: string): string {
  let existing = resolve(path);
  const rest: string[] = [];
  for (;;) {
    try {
      // The native call returns names as the file system has them, also where it ignores case.
      return join(realpathSync.native(existing), ...rest);
    } catch {
      const above = dirname(existing);
      if (above === existing) return resolve(path);
      rest.unshift(basename(existing));
      existing = above;
    }
  }
}

function worktreeOf(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false })) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The directory that all worktrees of a repository share. */
function repositoryAt(worktree: string): string | undefined {
  const git = join(worktree, ".git");
  try {
    if (statSync(git).isDirectory()) return realpathSync(git);
    const named = /^gitdir: (.+)$/m.exec(readFileSync(git, "utf8"))?.[1];
    if (named === undefined) return undefined;
    const own = resolve(worktree, named);
    const common = readFileSync(join(own, "commondir"), "utf8").trim();
    return realpathSync(resolve(own, common));
  } catch {
    // Damaged, or a submodule, which is a repository of its own.
    return undefined;
  }
}

/** Whether two locations are the same file, or the same file in two worktrees of one repository. */
export function isSamePlace(a: Place, b: Place, scope: "worktree" | "repository"): boolean {
  if (a.path === b.path) return true;
  if (scope === "worktree" || a.repository === undefined || a.repository !== b.repository)
    return false;
  const inside = ({ path, worktree = "" }: Place) => relative(worktree, path).split(sep).join("/");
  return inside(a) === inside(b);
}
