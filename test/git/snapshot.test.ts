import { expect, test } from "vitest";
import { treeOf } from "../../src/git/snapshot.ts";
import { gitIn, newRepository, temporaryDirectory, writeFiles } from "./repositories.ts";

/** The tree that git itself writes after adding everything. */
function addedTree(cwd: string): string {
  gitIn(cwd, "add", "-A");
  return gitIn(cwd, "write-tree").trim();
}

test("the tree of an unchanged working tree is that of the last commit", async () => {
  const cwd = newRepository();
  expect(await treeOf(cwd)).toBe(gitIn(cwd, "rev-parse", "HEAD^{tree}").trim());
});

test("the tree has changed, new, staged and removed files as they are on disk", async () => {
  const cwd = newRepository({ "a.txt": "1\n", "b.txt": "1\n", "dir/c.txt": "1\n" });
  writeFiles(cwd, { "a.txt": "staged\n", "staged then removed": "1\n" });
  gitIn(cwd, "add", "-A");
  gitIn(cwd, "rm", "-rqf", "staged then removed", "dir");
  writeFiles(cwd, { "a.txt": "on disk\n", dir: "a file now\n", "new\nline": "1\n" });
  const tree = await treeOf(cwd);
  expect(tree).toBe(addedTree(cwd));
});

test("there is no tree outside of git", async () => {
  expect(await treeOf(temporaryDirectory())).toBe("");
});
