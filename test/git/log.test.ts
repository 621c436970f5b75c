import { expect, test } from "vitest";
import { commitsSince } from "../../src/git/log.ts";
import { gitIn, newRepository, temporaryDirectory, writeFiles } from "./repositories.ts";

test("lists the commits between two times with their files", async () => {
  const begun = Math.floor(Date.now() / 1000) * 1000;
  const cwd = newRepository({ "a b.txt": "1\n", "line\nbreak": "1\n" });
  writeFiles(cwd, { "a b.txt": "2\n" });
  gitIn(cwd, "commit", "-qam", "Fix the parser\n\nDetails");
  const commits = await commitsSince(cwd, begun, begun + 60_000);
  expect(commits).toMatchObject([
    { subject: "Fix the parser", files: ["a b.txt"] },
    { subject: "Start", files: ["a b.txt", "line\nbreak"] },
  ]);
  expect(commits[0]?.hash).toBe(gitIn(cwd, "rev-parse", "HEAD").trim());
  expect(commits[0]?.at).toBeGreaterThanOrEqual(begun);
  expect(await commitsSince(cwd, begun - 120_000, begun - 60_000)).toEqual([]);
});

test("lists no commits outside of git and before the first one", async () => {
  const cwd = temporaryDirectory();
  expect(await commitsSince(cwd, 0)).toEqual([]);
  gitIn(cwd, "init", "-q");
  expect(await commitsSince(cwd, 0)).toEqual([]);
});
