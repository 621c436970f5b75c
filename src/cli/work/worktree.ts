import { existsSync, mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../../core/error.ts";
import { type Repository, repositoryOf } from "../../git/repository.ts";
import { git, runGit } from "../../git/run-git.ts";

/** The git worktree of one task. */
export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** The commit that the branch began at. */
  readonly base: string;
}

/** Worktrees of the tasks of one repository, in a directory beside it. */
export interface Worktrees {
  readonly directory: string;
  /** Creates the worktree of a task; a later attempt continues in the same one. */
  open(task: string): Promise<Worktree>;
  /** Lines that changed since the base, committed or not: `+112 −8`; empty without changes. */
  changes(worktree: Worktree): Promise<string>;
}

export async function openWorktrees(cwd: string): Promise<Worktrees> {
  const repository = await repositoryOf(cwd);
  if (!repository)
    throw new CommandError(
      `--worktree needs a git repository, but ${cwd} is in none. Run git init, or omit --worktree.`,
    );
  const head = await runGit(repository.root, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (head.code !== 0)
    throw new CommandError(
      "--worktree needs a commit to start from, but the repository has none. Commit first.",
    );
  return worktreesOf(repository);
}

function worktreesOf({ root, commonDir }: Repository): Worktrees {
  // The main working tree of the repository, also if this one is linked to it.
  const main = basename(commonDir) === ".git" ? dirname(commonDir) : root;
  const directory = `${main}.worktrees`;
  /** Git locks its configuration: one at a time. */
  let last: Promise<unknown> = Promise.resolve();

  async function create(task: string): Promise<Worktree> {
    const branch = `wm/${task}`;
    const path = join(directory, task);
    if (existsSync(path)) {
      const at = (await git(path, ["rev-parse", "--abbrev-ref", "HEAD"])).trim();
      if (at !== branch)
        throw new Error(`${path} is on the branch ${at}, not on ${branch}. Move it away.`);
    } else {
      mkdirSync(directory, { recursive: true });
      const known = await runGit(root, [
        "rev-parse",
        "--verify",
        "--quiet",
        `refs/heads/${branch}`,
      ]);
      const from = known.code === 0 ? [path, branch] : ["-b", branch, path, "HEAD"];
      // A worktree whose directory was deleted is still registered.
      await git(root, ["worktree", "prune"]);
      await git(root, ["worktree", "add", "--quiet", ...from]);
    }
    const base = (await git(path, ["merge-base", "HEAD", await headOf(root)])).trim();
    return { path, branch, base };
  }

  return {
    directory,
    open(task) {
      const next = last.then(() => create(task));
      last = next.catch(() => undefined);
      return next;
    },
    async changes({ path, base }) {
      const { code, stdout } = await runGit(path, ["diff", "--shortstat", "--no-ext-diff", base]);
      const text = code === 0 ? stdout.toString("utf8") : "";
      const count = (what: string) => new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? "0";
      return text.trim() === "" ? "" : `+${count("insertion")} −${count("deletion")}`;
    },
  };
}

async function headOf(root: string): Promise<string> {
  return (await git(root, ["rev-parse", "HEAD"])).trim();
}
