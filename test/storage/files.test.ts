import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ensureDirectory, replaceFile } from "../../src/engines/storage/files.ts";
import { needs, ONLY_AS_ROOT, ONLY_ON_LINUX } from "../skipped.ts";

const root = mkdtempSync(join(tmpdir(), "waymark-place-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("creates directories for this user only, and leaves existing ones unchanged", () => {
  ensureDirectory(join(root, "a", "b"));
  const modes = ["a", "a/b"].map((name) => statSync(join(root, name)).mode & 0o777);
  ensureDirectory(join(root, "a", "b"));
  expect(modes).toEqual([0o700, 0o700]);
});

test("fails if a file has the name of the directory", () => {
  ensureDirectory(root);
  writeFileSync(join(root, "file"), "");
  expect(() => ensureDirectory(join(root, "file"))).toThrow(/EEXIST/);
  expect(() => ensureDirectory(join(root, "file", "below"))).toThrow(/ENOTDIR|EEXIST/);
});

// Only Linux has such a directory at a known path.
test("reports a directory that cannot be created", needs(ONLY_ON_LINUX), () => {
  expect(() => ensureDirectory("/proc/none/below")).toThrow(/ENOENT/);
});

// Other users may assign a file only to their own groups.
describe("replacing a file as root", needs(ONLY_AS_ROOT), () => {
  const NOBODY = 65_534;
  const GROUP = 12_345;
  const file = join(root, "file");

  function replacedBy(user: number, mode: number): readonly [group: number, mode: string] {
    ensureDirectory(root);
    chownSync(root, user, 0);
    process.seteuid?.(user);
    try {
      replaceFile(file, "after", { mode, gid: GROUP });
    } finally {
      process.seteuid?.(0);
    }
    const { gid, mode: now } = statSync(file);
    return [gid, (now & 0o7777).toString(8)];
  }

  test("keeps its group and mode", () => {
    expect(replacedBy(0, 0o100640)).toEqual([GROUP, "640"]);
    expect(replacedBy(0, 0o102664)).toEqual([GROUP, "2664"]);
  });

  test("removes group permissions if the group cannot be kept", () => {
    expect(replacedBy(NOBODY, 0o100640)).toEqual([0, "600"]);
    expect(replacedBy(NOBODY, 0o100664)).toEqual([0, "644"]);
    expect(replacedBy(NOBODY, 0o102660)).toEqual([0, "600"]);
  });
});
