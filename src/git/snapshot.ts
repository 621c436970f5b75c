import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Repository, repositoryOf } from "./repository.ts";
import { git, namesIn, runGit } from "./run-git.ts";

/** The working tree of a repository as a tree object: the last commit, changed files, and new files that are not ignored. */
export interface Snapshot {
  readonly repository: Repository;
  /** Hash of the tree. */
  readonly tree: string;
  /** Hash of the last commit; undefined if there is none yet. */
  readonly head: string | undefined;
  /** Files that differ from the last commit. */
  readonly changed: readonly string[];
  /** Paths of submodules; their files are part of the tree. */
  readonly submodules: readonly string[];
  /** Objects that the repository does not have, with the repository as alternate. */
  readonly objects: string;
  /** The index of the tree. */
  readonly index: string;
}

export interface SnapshotOptions {
  readonly signal?: AbortSignal | undefined;
}

const INDEX = "index";
const OBJECTS = "objects";
/** Submodules in submodules in submodules. */
const MAX_DEPTH = 5;
const NO_COMMITS = { sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904" } as const;
const EMPTY_SHA256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

/** The hash of a tree without files. */
export function emptyTree({ format }: Pick<Repository, "format">): string {
  return format === "sha1" ? NO_COMMITS.sha1 : EMPTY_SHA256;
}

/** Runs git on the objects and the index of a snapshot. */
export function snapshotEnvironment({
  objects,
  index,
}: Pick<Snapshot, "objects" | "index">): Readonly<Record<string, string>> {
  return { GIT_OBJECT_DIRECTORY: objects, GIT_INDEX_FILE: index };
}

/**
 * Takes a snapshot of the working tree. New objects and the index are written to `scratch`, an existing
 * empty directory; the repository is only read.
 */
export async function takeSnapshot(
  repository: Repository,
  scratch: string,
  { signal }: SnapshotOptions = {},
): Promise<Snapshot> {
  const objects = join(scratch, OBJECTS);
  mkdirSync(join(objects, "info"), { recursive: true });
  return snapshotInto(repository, scratch, objects, signal, 0);
}

async function snapshotInto(
  repository: Repository,
  scratch: string,
  objects: string,
  signal: AbortSignal | undefined,
  depth: number,
): Promise<Snapshot> {
  const { root } = repository;
  const index = join(scratch, depth === 0 ? INDEX : `${INDEX}-${depth}`);
  rmSync(index, { force: true });
  addAlternate(objects, join(repository.commonDir, OBJECTS));
  copyIndex(join(repository.gitDir, INDEX), index);
  const env = snapshotEnvironment({ objects, index });
  const run = (args: readonly string[], input?: string) =>
    git(root, args, { env, signal, ...(input !== undefined && { input }) });
  const known = entriesIn(await run(["ls-files", "-v", "-s", "-z"]));
  await followAgain(root, known, run);
  const listed = await run([
    "ls-files",
    "-z",
    "--modified",
    "--deleted",
    "--others",
    "--exclude-standard",
  ]);
  const unmerged = known.filter(({ stage }) => stage !== "0").map(({ path }) => path);
  // A name that ends in a slash is another repository, such as a linked working tree of an agent.
  const paths = [...namesIn(listed), ...unmerged].filter((path) => !path.endsWith("/"));
  if (paths.length > 0)
    await run(
      ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"],
      [...new Set(paths)].map((path) => `${path}\0`).join(""),
    );
  const links = known.filter(({ mode }) => mode === GITLINK).map(({ path }) => path);
  const submodules = depth < MAX_DEPTH ? await flatten(links) : [];
  const tree = (await run(["write-tree", "--missing-ok"])).trim();
  const head = await headOf(root);
  const base = head ?? emptyTree(repository);
  const changed = namesIn(
    await run(["diff-tree", "-r", "-z", "--no-renames", "--name-only", base, tree]),
  );
  return { repository, tree, head, changed, submodules, objects, index };

  /** Replaces each submodule that is checked out by its files, with their changes. */
  async function flatten(found: readonly string[]): Promise<readonly string[]> {
    const flattened: string[] = [];
    for (const path of found) {
      if (!existsSync(join(root, path, ".git"))) continue;
      const inner = await repositoryOf(join(root, path));
      if (inner?.root === root || inner?.format !== repository.format) continue;
      const part = await snapshotInto(inner, scratch, objects, signal, depth + 1);
      await run(["update-index", "--force-remove", "-z", "--stdin"], `${path}\0`);
      await run(["read-tree", `--prefix=${path}/`, part.tree]);
      flattened.push(path);
    }
    return flattened;
  }
}

const GITLINK = "160000";

interface IndexEntry {
  readonly tag: string;
  readonly mode: string;
  readonly stage: string;
  readonly path: string;
}

/** Reads lines such as `H 100644 <hash> 0\t<path>`. */
function entriesIn(output: string): readonly IndexEntry[] {
  return namesIn(output).map((line) => {
    const tab = line.indexOf("\t");
    const [tag = "", mode = "", , stage = ""] = line.slice(0, tab).split(" ");
    return { tag, mode, stage, path: line.slice(tab + 1) };
  });
}

/** Follows files again that the user told git to ignore changes of: their content is what a check sees. */
async function followAgain(
  root: string,
  entries: readonly IndexEntry[],
  run: (args: readonly string[], input: string) => Promise<string>,
): Promise<void> {
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase());
  const skipped = entries.filter(
    ({ tag, path }) =>
      tag.toUpperCase() === "S" && lstatSync(join(root, path), { throwIfNoEntry: false }),
  );
  const update = (flag: string, found: readonly IndexEntry[]) =>
    found.length === 0
      ? undefined
      : run(["update-index", flag, "-z", "--stdin"], found.map(({ path }) => `${path}\0`).join(""));
  await update("--no-assume-unchanged", assumed);
  await update("--no-skip-worktree", skipped);
}

/**
 * Copies the user's index for its cached file times. The copy must not be newer than the original: git compares
 * the two times to find files that were changed right after they were added.
 */
function copyIndex(from: string, to: string): void {
  const stats = statSync(from, { throwIfNoEntry: false });
  if (!stats) return;
  copyFileSync(from, to);
  const time = Math.floor(stats.mtimeMs / 1000);
  utimesSync(to, time, time);
}

function addAlternate(objects: string, alternate: string): void {
  const isPlain = !/[\n"\\#]/.test(alternate);
  const quoted = alternate.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  appendFileSync(join(objects, "info", "alternates"), `${isPlain ? alternate : `"${quoted}"`}\n`);
}

async function headOf(root: string): Promise<string | undefined> {
  const { code, stdout } = await runGit(root, ["rev-parse", "--verify", "-q", "HEAD^{commit}"]);
  return code === 0 ? stdout.toString("utf8").trim() : undefined;
}

/** The tree hash of the working tree of a directory; empty outside of git. */
export async function treeOf(cwd: string, options: SnapshotOptions = {}): Promise<string> {
  const repository = await repositoryOf(cwd);
  if (!repository) return "";
  const scratch = mkdtempSync(join(tmpdir(), "waymark-tree-"));
  try {
    return (await takeSnapshot(repository, scratch, options)).tree;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
