import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { WaymarkError } from "../core/error.ts";
import { runGit } from "./run-git.ts";

/** A git repository with a working tree. All paths are absolute, without symlinks. */
export interface Repository {
  /** Root of the working tree. */
  readonly root: string;
  /** The git directory of this working tree. */
  readonly gitDir: string;
  /** The git directory that all linked working trees share: it identifies the repository. */
  readonly commonDir: string;
  /** `sha1` or `sha256`. */
  readonly format: string;
}

/** The repository of a directory; undefined outside of git, in a bare repository, and without git. */
export async function repositoryOf(cwd: string): Promise<Repository | undefined> {
  const facts = await parse(cwd, ["--is-inside-work-tree", "--show-object-format", "--show-cdup"]);
  const [inside, format = "sha1", up = ""] = facts?.split("\n") ?? [];
  if (inside !== "true") return undefined;
  // One call for each path: a name may contain line breaks.
  const [gitDir = "", commonDir = ""] = await Promise.all([
    parse(cwd, ["--absolute-git-dir"]),
    parse(cwd, ["--git-common-dir"]),
  ]);
  const absolute = (path: string) => realpathSync(resolve(cwd, path));
  return {
    root: absolute(up),
    gitDir: absolute(gitDir),
    commonDir: absolute(commonDir),
    format,
  };
}

/** The answer of `git rev-parse`; undefined if the directory is in no repository. */
async function parse(cwd: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { code, stdout, stderr } = await runGit(cwd, ["rev-parse", ...args]);
    if (code === 0) return stdout.toString("utf8").replace(/\n$/, "");
    // A repository of another user is a problem to report, not a plain directory.
    if (!/dubious ownership/.test(stderr)) return undefined;
    const why = stderr.split("\n")[0] ?? "";
    throw new WaymarkError("git_failed", `git does not trust ${cwd}: ${why}.`);
  } catch (error) {
    // Without git, no directory is a repository.
    if (error instanceof WaymarkError && error.code === "git_missing") return undefined;
    throw error;
  }
}
