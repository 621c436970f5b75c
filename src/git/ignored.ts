import type { Repository } from "./repository.ts";
import { git, namesIn } from "./run-git.ts";

/** The outermost ignored directories and links of a working tree, such as `node_modules`, relative to its root. */
export async function ignoredDirectories(
  { root }: Repository,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const output = await git(
    root,
    ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"],
    { signal },
  );
  return namesIn(output).map((name) => name.replace(/\/$/, ""));
}
