import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lineCounts } from "../../src/git/line-counts.ts";
import { repositoryOf } from "../../src/git/repository.ts";
import { gitIn, newRepository, temporaryDirectory, writeFiles } from "./repositories.ts";

async function countsOf(dir: string, time: number) {
  const repository = await repositoryOf(dir);
  if (!repository) throw new Error("no repository");
  return lineCounts(repository, time);
}

test("counts changed, new, removed and binary files since the last commit before a time", async () => {
  const dir = newRepository({ "a b.txt": "1\n2\n3\n", "gone.txt": "x\n", ".gitignore": "out\n" });
  const first = gitIn(dir, "rev-parse", "HEAD").trim();
  const opened = Date.now() + 2_000;
  writeFiles(dir, { "a b.txt": "1\ntwo\n3\n4\n", "new\tname.txt": "1\n2", out: "ignored\n" });
  writeFileSync(join(dir, "picture"), Buffer.from([1, 0, 2]));
  rmSync(join(dir, "gone.txt"));
  const { since, files } = await countsOf(dir, opened);
  expect(since).toBe(first);
  expect([...files].sort()).toEqual([
    ["a b.txt", { added: 2, removed: 1 }],
    ["gone.txt", { added: 0, removed: 1 }],
    ["new\tname.txt", { added: 2, removed: 0 }],
    ["picture", { added: null, removed: 0 }],
  ]);
  // Committed work still counts: the commit before the session is the base.
  gitIn(dir, "add", "-A");
  gitIn(dir, "commit", "-q", "-m", "Second", "--date", "2030-01-01T00:00:00Z");
  expect((await countsOf(dir, Date.now() - 3_600_000)).files.get("a b.txt")).toEqual({
    added: 4,
    removed: 0,
  });
});

test("counts everything as added before the first commit", async () => {
  const dir = temporaryDirectory();
  gitIn(dir, "init", "-q");
  writeFiles(dir, { "src/a.txt": "1\n" });
  gitIn(dir, "add", "-A");
  const { since, files } = await countsOf(dir, Date.now());
  expect(since).toBeUndefined();
  expect([...files]).toEqual([["src/a.txt", { added: 1, removed: 0 }]]);
});

test("starts no program that the repository configures", async () => {
  const dir = newRepository({ "a.txt": "1\n", ".gitattributes": "*.txt diff=own\n" });
  const mark = join(dir, "ran");
  gitIn(dir, "config", "diff.own.command", `touch ${mark}`);
  gitIn(dir, "config", "diff.own.textconv", `touch ${mark}; cat`);
  gitIn(dir, "config", "diff.external", `touch ${mark}`);
  mkdirSync(join(dir, "sub"));
  writeFiles(dir, { "a.txt": "2\n" });
  const { files } = await countsOf(join(dir, "sub"), Date.now() + 2_000);
  expect([...files.keys()]).toEqual(["a.txt"]);
  expect(existsSync(mark)).toBe(false);
});
