import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "waymark-git-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Runs git as a user would, with a fixed identity and time. */
export function gitIn(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd,
    encoding: "utf8",
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "Ann",
      GIT_AUTHOR_EMAIL: "ann@example.com",
      GIT_COMMITTER_NAME: "Ann",
      GIT_COMMITTER_EMAIL: "ann@example.com",
    },
  });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Writes files by path, creating their directories. */
export function writeFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** A repository with one commit of these files. */
export function newRepository(
  files: Readonly<Record<string, string>> = { "readme.md": "Hello\n" },
  dir: string = join(temporaryDirectory(), "shop"),
): string {
  mkdirSync(dir, { recursive: true });
  gitIn(dir, "init", "-q", "-b", "main");
  writeFiles(dir, files);
  gitIn(dir, "add", "-A");
  gitIn(dir, "commit", "-q", "-m", "Start");
  return dir;
}
