import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { git } from "./run-git.ts";
import { type Snapshot, snapshotEnvironment } from "./snapshot.ts";

const MAX_REFS = 16 * 1024 * 1024;

/**
 * Writes the files of a snapshot to `dir`, a new directory, converted as in the user's own checkout. The directory
 * is a repository of its own with the same commits and branches: git commands in it work, and none of them
 * changes the user's repository.
 */
export async function checkout(
  snapshot: Snapshot,
  dir: string,
  signal?: AbortSignal,
): Promise<void> {
  const { repository, head, tree } = snapshot;
  const { root, format, commonDir } = repository;
  mkdirSync(dir);
  await git(root, ["checkout-index", "--all", "--force", `--prefix=${dir}${sep}`], {
    env: snapshotEnvironment(snapshot),
    signal,
    timeoutMs: 10 * 60_000,
  });
  const own = join(dir, ".git");
  const refs = await git(root, ["for-each-ref", "--format=%(objectname) %(refname)"], {
    signal,
    maxBytes: MAX_REFS,
  });
  await git(dir, ["init", "--quiet", "--template=", `--object-format=${format}`, "."], { signal });
  rmSync(join(own, "objects"), { recursive: true, force: true });
  cpSync(snapshot.objects, join(own, "objects"), { recursive: true });
  writeFileSync(join(own, "packed-refs"), `# pack-refs with: sorted \n${refs}`);
  const shallow = join(commonDir, "shallow");
  if (existsSync(shallow)) copyFileSync(shallow, join(own, "shallow"));
  if (head !== undefined) writeFileSync(join(own, "HEAD"), `${head}\n`);
  await git(dir, ["read-tree", tree], { signal });
}
