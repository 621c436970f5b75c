import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeDirectory, replaceFile } from "../../src/engines/storage/place.ts";
import { needs, ONLY_AS_ROOT, ONLY_ON_LINUX } from "../skipped.ts";

const root = mkdtempSync(join(tmpdir(), "waymark-place-"));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("directories are made for this user only, those that are there stay as they are", () => {
  makeDirectory(join(root, "a", "b"));
  const modes = ["a", "a/b"].map((name) => statSync(join(root, name)).mode & 0o777);
  makeDirectory(join(root, "a", "b"));
  expect(modes).toEqual([0o700, 0o700]);
});

test("a file in the way is an error, not a directory", () => {
  makeDirectory(root);
  writeFileSync(join(root, "file"), "");
  expect(() => makeDirectory(join(root, "file"))).toThrow(/EEXIST/);
  expect(() => makeDirectory(join(root, "file", "below"))).toThrow(/ENOTDIR|EEXIST/);
});

// Only Linux has such a place at a known path.
test("reports a directory that cannot be created", needs(ONLY_ON_LINUX), () => {
  expect(() => makeDirectory("/proc/none/below")).toThrow(/ENOENT/);
});

// Others may give a file only to groups that they are in themselves.
describe("a file that is replaced, as root", needs(ONLY_AS_ROOT), () => {
  const NOBODY = 65_534;
  const GROUP = 12_345;
  const file = join(root, "file");

  function replacedBy(user: number, mode: number): readonly [group: number, mode: string] {
    makeDirectory(root);
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

  test("keeps its group and its rights", () => {
    expect(replacedBy(0, 0o100640)).toEqual([GROUP, "640"]);
    expect(replacedBy(0, 0o102664)).toEqual([GROUP, "2664"]);
  });

  test("gives no other group the rights of its own, where that one cannot be kept", () => {
    expect(replacedBy(NOBODY, 0o100640)).toEqual([0, "600"]);
    expect(replacedBy(NOBODY, 0o100664)).toEqual([0, "644"]);
    expect(replacedBy(NOBODY, 0o102660)).toEqual([0, "600"]);
  });
});
