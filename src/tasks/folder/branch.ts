import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { repositoryOf } from "../../git/repository.ts";
import { runGit } from "../../git/run-git.ts";

/** The place of a folder in git. */
export interface FolderOrigin {
  /** Identifies the folder on this machine, in every working tree of a repository. */
  readonly place: string;
  /** Parts of the refs of its tasks, best first: the same in every clone, and the path. */
  readonly sources: readonly string[];
  /** Checked-out branch, `HEAD` of a working tree if there is none, or empty outside git. */
  readonly branch: string;
  readonly commit?: string;
  /** Path of the folder in the repository. */
  readonly path: string;
  /** An unfinished operation of git, such as `a rebase`. */
  readonly busyWith?: string;
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

const BUSY: readonly (readonly [string, string])[] = [
  ["rebase-merge", "a rebase"],
  ["rebase-apply", "a rebase"],
  ["index.lock", "another git command"],
];

/** Looks up the repository of a folder, whose path has no symlinks. */
export async function originOf(folder: string): Promise<FolderOrigin> {
  const repository = await repositoryOf(folder);
  const own = shortHash(folder);
  if (!repository) return { place: own, sources: [own], branch: "", path: folder };
  const { root, gitDir, commonDir } = repository;
  const path = relative(root, folder).replaceAll("\\", "/");
  const [head, commit, first] = await Promise.all([
    line(folder, ["symbolic-ref", "--quiet", "HEAD"]),
    line(folder, ["rev-parse", "--quiet", "--verify", "HEAD"]),
    firstCommit(folder),
  ]);
  const busyWith = BUSY.find(([name]) => existsSync(join(gitDir, name)))?.[1];
  return {
    place: shortHash(`${commonDir}\n${path}`),
    sources: [...(first === undefined ? [] : [shortHash(`${first}\n${path}`)]), own],
    branch: head ?? `HEAD of ${gitDir}`,
    path,
    ...(commit !== undefined && { commit }),
    ...(busyWith !== undefined && { busyWith }),
  };
}

/** The oldest commit, which all clones share; undefined in a shallow clone. */
async function firstCommit(cwd: string): Promise<string | undefined> {
  if ((await line(cwd, ["rev-parse", "--is-shallow-repository"])) !== "false") return undefined;
  const { code, stdout } = await runGit(cwd, ["rev-list", "--max-parents=0", "HEAD"]);
  return code === 0 ? stdout.toString("utf8").trim().split("\n").at(-1) : undefined;
}

async function line(cwd: string, args: readonly string[]): Promise<string | undefined> {
  const { code, stdout } = await runGit(cwd, args);
  const text = stdout.toString("utf8").trim();
  return code === 0 && text !== "" ? text : undefined;
}

/** The text that a file had where two commits diverged; undefined if it was not there. */
export async function textAtFork(
  folder: string,
  fork: string,
  path: string,
): Promise<string | undefined> {
  const { code, stdout } = await runGit(folder, ["show", `${fork}:./${path}`]);
  return code === 0 ? stdout.toString("utf8") : undefined;
}

/** The last commit that two commits have in common. */
export function forkOf(folder: string, a: string, b: string): Promise<string | undefined> {
  return line(folder, ["merge-base", a, b]);
}
