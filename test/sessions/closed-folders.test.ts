import { chmodSync, chownSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DIALECTS } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { hasChangedAgain } from "../../src/sessions/transcripts/mtime-check.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { CLAUDE, fixture, newUserHome, type UserHome } from "./home.ts";

const NOBODY = 65_534;
/** It lists its names and lets nobody in. */
const CLOSED = 0o444;
const FILE = `.claude/projects/-p/${CLAUDE}.jsonl`;
const BESIDE = CLAUDE.replace("3", "5");
const OTHER = CLAUDE.replace("3", "4");
const OTHER_FILE = `.claude/projects/-q/${OTHER}.jsonl`;
const TEXT = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`);

describe("a folder that is listed but not entered", needs(NOT_ON_WINDOWS), () => {
  let home: UserHome;
  let folder: string;
  const isRoot = process.geteuid?.() === 0;
  beforeEach(() => {
    home = newUserHome();
    folder = dirname(home.write(FILE, TEXT));
    home.write(`.claude/projects/-p/${BESIDE}.jsonl`, TEXT);
    home.write(OTHER_FILE, TEXT);
    if (!isRoot) return;
    // The super-user may enter every folder.
    const names = readdirSync(home.path, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...names]) chownSync(join(home.path, name), NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  });
  afterEach(() => {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
    home.remove();
  });

  const closed = () => ({ dialect: "claude-code", path: folder, reason: "EACCES" });

  test("F9 is named once, and what lies elsewhere is found", () => {
    chmodSync(folder, CLOSED);
    const { sources, unreadable } = discover(DIALECTS, home.machine);
    expect(unreadable).toEqual([closed()]);
    expect(sources.map(({ path }) => path)).toEqual([join(home.path, OTHER_FILE)]);
  });

  test("F9 has changed when it was open before", () => {
    const found = discover(DIALECTS, home.machine).sources;
    chmodSync(folder, CLOSED);
    const changed = found.filter((source) => hasChangedAgain(source, source.mtime));
    expect(changed.map(({ path }) => dirname(path))).toEqual([folder, folder]);
  });

  test("F9 is closed and opened again while somebody follows", async () => {
    const follower = follow(DIALECTS, home.machine, { index: new Map(), every: 50 });
    try {
      await follower.ready;
      const shown = () => follower.tracks().map(({ live }) => live.session);
      expect(shown().toSorted()).toEqual([CLAUDE, OTHER, BESIDE]);
      chmodSync(folder, CLOSED);
      await expect.poll(() => shown()).toEqual([OTHER]);
      chmodSync(folder, 0o755);
      await expect.poll(() => shown().toSorted()).toEqual([CLAUDE, OTHER, BESIDE]);
    } finally {
      follower.stop();
    }
  });
});
