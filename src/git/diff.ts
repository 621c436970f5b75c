import type { FileChange } from "../core/checks/tamper.ts";
import { git, runGit } from "./run-git.ts";
import { emptyTree, type Snapshot, snapshotEnvironment } from "./snapshot.ts";

const MAX_FILES = 5_000;
const MAX_FILE = 512 * 1024;
const MAX_TOTAL = 32 * 1024 * 1024;
const GITLINK = "160000";
const SYMLINK = "120000";

interface RawChange {
  readonly path: string;
  /** Undefined if there was no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The text files that differ between a commit or tree and a snapshot, at most 5,000 files and 32 MiB. Larger
 * files than 512 KiB, binary files, symlinks and submodules are left out.
 */
export async function changesSince(
  base: string | undefined,
  snapshot: Snapshot,
  signal?: AbortSignal,
): Promise<readonly FileChange[]> {
  const { repository, tree, submodules } = snapshot;
  const { root } = repository;
  const env = snapshotEnvironment(snapshot);
  const output = await git(
    root,
    ["diff-tree", "-r", "-z", "--no-renames", "--raw", base ?? emptyTree(repository), tree],
    { env, signal },
  );
  const changes = rawChanges(output)
    .filter(({ path }) => !submodules.some((each) => path === each || path.startsWith(`${each}/`)))
    .slice(0, MAX_FILES);
  const texts = await readTexts(
    root,
    changes.flatMap(({ before, after }) => [before, after].filter((id) => id !== undefined)),
    env,
    signal,
  );
  return changes.flatMap(({ path, before, after }) => {
    const old = before === undefined ? null : texts.get(before);
    const now = after === undefined ? null : texts.get(after);
    return old === undefined || now === undefined ? [] : [{ path, before: old, after: now }];
  });
}

/** Reads `:100644 100644 <hash> <hash> M\0<path>\0`. */
function rawChanges(output: string): readonly RawChange[] {
  const fields = output.split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", before, after] = (fields[at] ?? "").slice(1).split(" ");
    if ([oldMode, mode].some((each) => each === GITLINK || each === SYMLINK)) continue;
    const has = (id: string | undefined) => (/^0+$/.test(id ?? "0") ? undefined : id);
    changes.push({ path: fields[at + 1] ?? "", before: has(before), after: has(after) });
  }
  return changes;
}

/** The contents of text files by hash. Others are missing. */
async function readTexts(
  root: string,
  ids: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, string>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Map();
  const sizes = await git(root, ["cat-file", "--batch-check"], {
    env,
    signal,
    input: unique.map((id) => `${id}\n`).join(""),
  });
  let total = 0;
  const wanted = sizes.split("\n").flatMap((line) => {
    const [id = "", type, size] = line.split(" ");
    if (type !== "blob" || Number(size) > MAX_FILE) return [];
    total += Number(size);
    return total > MAX_TOTAL ? [] : [id];
  });
  const { stdout } = await runGit(root, ["cat-file", "--batch"], {
    env,
    signal,
    input: wanted.map((id) => `${id}\n`).join(""),
  });
  return textsIn(stdout);
}

/** Reads `<hash> blob <size>\n<content>\n`. */
function textsIn(output: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const [id = "", type, size] = output.toString("latin1", at, end).split(" ");
    if (end < 0 || type !== "blob") break;
    const content = output.subarray(end + 1, end + 1 + Number(size));
    if (!content.includes(0)) texts.set(id, content.toString("utf8"));
    at = end + 2 + Number(size);
  }
  return texts;
}
