import { chmodSync, chownSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DECODERS } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { hasChangedAgain } from "../../src/sessions/transcripts/mtime-check.ts";
import { NOT_ON_WINDOWS, needs } from "../skipped.ts";
import { CLAUDE, fixture, newUserHome, type UserHome } from "./home.ts";

const NOBODY = 65_534;
/** Readable, but not searchable. */
const LIST_ONLY = 0o444;
const FILE = `.claude/projects/-p/${CLAUDE}.jsonl`;
const BESIDE = CLAUDE.replace("3", "5");
const OTHER = CLAUDE.replace("3", "4");
const OTHER_FILE = `.claude/projects/-q/${OTHER}.jsonl`;
const TEXT = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`);

describe("a folder that can be listed but not entered", needs(NOT_ON_WINDOWS), () => {
  let home: UserHome;
  let folder: string;
  const isRoot = process.geteuid?.() === 0;
  beforeEach(() => {
    home = newUserHome();
    folder = dirname(home.write(FILE, TEXT));
    home.write(`.claude/projects/-p/${BESIDE}.jsonl`, TEXT);
    home.write(OTHER_FILE, TEXT);
    if (!isRoot) return;
    // Root can enter every folder.
    const names = readdirSync(home.path, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...names]) chownSync(join(home.path, name), NOBODY, NOBODY);
    process.seteuid?.(NOBODY);
  });
  afterEach(() => {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o755);
    home.remove();
  });

  const inaccessible = () => ({ dialect: "claude-code", path: folder, reason: "EACCES" });

  test("is reported once, and other folders are read", { tags: ["special-file"] }, () => {
    chmodSync(folder, LIST_ONLY);
    const { sources, unreadable } = discover(DECODERS, home.machine);
    expect(unreadable).toEqual([inaccessible()]);
    expect(sources.map(({ path }) => path)).toEqual([join(home.path, OTHER_FILE)]);
  });

  test("counts as changed if it was accessible before", { tags: ["special-file"] }, () => {
    const found = discover(DECODERS, home.machine).sources;
    chmodSync(folder, LIST_ONLY);
    const changed = found.filter((source) => hasChangedAgain(source, source.mtime));
    expect(changed.map(({ path }) => dirname(path))).toEqual([folder, folder]);
  });

  test("is followed when it becomes inaccessible and accessible again", {
    tags: ["special-file"],
  }, async () => {
    const follower = follow(DECODERS, home.machine, { index: new Map(), every: 50 });
    try {
      await follower.ready;
      const shown = () => follower.tracks().map(({ live }) => live.session);
      expect(shown().toSorted()).toEqual([CLAUDE, OTHER, BESIDE]);
      chmodSync(folder, LIST_ONLY);
      await expect.poll(() => shown()).toEqual([OTHER]);
      chmodSync(folder, 0o755);
      await expect.poll(() => shown().toSorted()).toEqual([CLAUDE, OTHER, BESIDE]);
    } finally {
      follower.stop();
    }
  });
});
