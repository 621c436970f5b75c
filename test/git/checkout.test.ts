import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkout } from "../../src/git/checkout.ts";
import { changesSince } from "../../src/git/diff.ts";
import { repositoryOf } from "../../src/git/repository.ts";
import { takeSnapshot, treeOf } from "../../src/git/snapshot.ts";
import { treeOf as filesOf } from "../faults/tree.ts";
import { gitIn, newRepository, temporaryDirectory, writeFiles } from "./repositories.ts";

/** Checks out the working tree of a directory, which must stay as it is. */
async function checkedOut(cwd: string) {
  const repository = await repositoryOf(cwd);
  if (!repository) throw new Error("no repository");
  const before = filesOf(repository.root);
  const snapshot = await takeSnapshot(repository, temporaryDirectory());
  const dir = join(temporaryDirectory(), "copy");
  await checkout(snapshot, dir);
  expect(filesOf(repository.root)).toEqual(before);
  return { snapshot, dir };
}

function textOf(dir: string, path: string): string {
  return readFileSync(join(dir, path), "utf8");
}

test("keeps names, symlinks, modes and line endings", async () => {
  const cwd = newRepository({ "crlf.txt": "1\n", "tool.sh": "#!/bin/sh\n", "was a dir/x": "1\n" });
  gitIn(cwd, "config", "core.autocrlf", "true");
  writeFiles(cwd, { "crlf.txt": "1\r\n2\r\n", "line\nbreak ü.txt": "1\r\n" });
  chmodSync(join(cwd, "tool.sh"), 0o755);
  symlinkSync("tool.sh", join(cwd, "link"));
  symlinkSync("/nowhere", join(cwd, "broken"));
  rmSync(join(cwd, "was a dir"), { recursive: true });
  writeFileSync(join(cwd, "was a dir"), "file\r\n");
  const { dir, snapshot } = await checkedOut(cwd);
  expect(readdirSync(dir).toSorted()).toEqual(readdirSync(cwd).toSorted());
  expect(textOf(dir, "crlf.txt")).toBe("1\r\n2\r\n");
  expect(textOf(dir, "line\nbreak ü.txt")).toBe("1\r\n");
  expect(lstatSync(join(dir, "tool.sh")).mode & 0o111).toBe(0o111);
  expect([readlinkSync(join(dir, "link")), readlinkSync(join(dir, "broken"))]).toEqual([
    "tool.sh",
    "/nowhere",
  ]);
  expect(gitIn(dir, "rev-parse", "HEAD")).toBe(gitIn(cwd, "rev-parse", "HEAD"));
  expect(gitIn(dir, "write-tree").trim()).toBe(snapshot.tree);
});

test("runs no hook and no file monitor, and applies the filters of the user", async () => {
  const cwd = newRepository({ ".gitattributes": "*.up filter=up\n", "a.up": "text\n" });
  const canary = join(temporaryDirectory(), "canary");
  for (const hook of ["post-checkout", "post-index-change", "pre-commit", "fsmonitor-watchman"]) {
    writeFileSync(join(cwd, ".git/hooks", hook), `#!/bin/sh\ntouch '${canary}'\n`, { mode: 0o755 });
  }
  gitIn(cwd, "config", "filter.up.clean", "tr A-Z a-z");
  gitIn(cwd, "config", "filter.up.smudge", "tr a-z A-Z");
  writeFiles(cwd, { "a.up": "CHANGED\n" });
  gitIn(cwd, "config", "core.fsmonitor", join(cwd, ".git/hooks/fsmonitor-watchman"));
  const { dir, snapshot } = await checkedOut(cwd);
  expect(existsSync(canary)).toBe(false);
  expect(textOf(dir, "a.up")).toBe("CHANGED\n");
  expect(
    execFileSync("git", ["-C", dir, "show", `${snapshot.tree}:a.up`], { encoding: "utf8" }),
  ).toBe("changed\n");
});

test("ignores the git variables of the caller", async () => {
  const cwd = newRepository();
  const other = newRepository({ "other.txt": "1\n" });
  const variables = { GIT_DIR: join(other, ".git"), GIT_WORK_TREE: other, GIT_INDEX_FILE: "x" };
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const name of Object.keys(variables)) delete process.env[name];
  });
  const { dir } = await checkedOut(cwd);
  expect(readdirSync(dir)).toEqual([".git", "readme.md"]);
});

test("has no commit to start from", async () => {
  const cwd = temporaryDirectory();
  gitIn(cwd, "init", "-q");
  writeFiles(cwd, { "a.txt": "1\n" });
  const { dir, snapshot } = await checkedOut(cwd);
  expect(snapshot).toMatchObject({ head: undefined, changed: ["a.txt"] });
  expect(textOf(dir, "a.txt")).toBe("1\n");
  expect(await changesSince(undefined, snapshot)).toEqual([
    { path: "a.txt", before: null, after: "1\n" },
  ]);
});

test("uses the files of a linked working tree, and leaves out repositories inside", async () => {
  const cwd = newRepository();
  gitIn(cwd, "worktree", "add", "-q", "-b", "side", join(cwd, ".agent/side tree"));
  writeFiles(cwd, { ".agent/side tree/side.txt": "1\n" });
  const main = await checkedOut(cwd);
  expect(readdirSync(main.dir)).toEqual([".git", "readme.md"]);
  const side = await checkedOut(join(cwd, ".agent/side tree"));
  expect(readdirSync(side.dir)).toEqual([".git", "readme.md", "side.txt"]);
  expect((await repositoryOf(join(cwd, ".agent/side tree")))?.commonDir).toBe(join(cwd, ".git"));
});

test("has the files of submodules with their changes", async () => {
  const inner = newRepository({ "inner.txt": "1\n" });
  const cwd = newRepository();
  gitIn(cwd, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "lib/inner");
  gitIn(cwd, "commit", "-qam", "Add a submodule");
  writeFiles(cwd, { "lib/inner/inner.txt": "2\n", "lib/inner/new.txt": "1\n" });
  const { dir, snapshot } = await checkedOut(cwd);
  expect(textOf(dir, "lib/inner/inner.txt")).toBe("2\n");
  expect(textOf(dir, "lib/inner/new.txt")).toBe("1\n");
  expect(snapshot.submodules).toEqual(["lib/inner"]);
  expect(await changesSince(snapshot.head, snapshot)).toEqual([]);
});

test("has files in conflict, and files with changes that git ignores by setting", async () => {
  const cwd = newRepository({ "a.txt": "1\n", "assumed.txt": "1\n", "skipped.txt": "1\n" });
  gitIn(cwd, "checkout", "-q", "-b", "side");
  writeFiles(cwd, { "a.txt": "side\n" });
  gitIn(cwd, "commit", "-qam", "Side");
  gitIn(cwd, "checkout", "-q", "main");
  writeFiles(cwd, { "a.txt": "main\n" });
  gitIn(cwd, "commit", "-qam", "Main");
  expect(() => gitIn(cwd, "merge", "-q", "side")).toThrow();
  gitIn(cwd, "update-index", "--assume-unchanged", "assumed.txt");
  gitIn(cwd, "update-index", "--skip-worktree", "skipped.txt");
  writeFiles(cwd, { "assumed.txt": "2\n", "skipped.txt": "2\n" });
  const { dir } = await checkedOut(cwd);
  expect(textOf(dir, "a.txt")).toContain("<<<<<<<");
  expect([textOf(dir, "assumed.txt"), textOf(dir, "skipped.txt")]).toEqual(["2\n", "2\n"]);
});

test("finds a change of the same size in the same second", async () => {
  const cwd = newRepository({ "a.txt": "1\n" });
  const { mtime, atime } = lstatSync(join(cwd, "a.txt"));
  gitIn(cwd, "update-index", "--refresh");
  const clean = await treeOf(cwd);
  writeFiles(cwd, { "a.txt": "2\n" });
  utimesSync(join(cwd, "a.txt"), atime, mtime);
  expect(await treeOf(cwd)).not.toBe(clean);
});

test("reads text changes since a commit; binary and large files are left out", async () => {
  const cwd = newRepository({ "a.txt": "1\n", "gone.txt": "1\n", "image.bin": "\0a" });
  rmSync(join(cwd, "gone.txt"));
  mkdirSync(join(cwd, "src"));
  writeFiles(cwd, { "a.txt": "2\n", "image.bin": "\0b", "large.txt": "x".repeat(600_000) });
  const { snapshot } = await checkedOut(cwd);
  expect(await changesSince(snapshot.head, snapshot)).toEqual([
    { path: "a.txt", before: "1\n", after: "2\n" },
    { path: "gone.txt", before: "1\n", after: null },
  ]);
});
