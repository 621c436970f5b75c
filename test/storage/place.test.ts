import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeDirectory } from "../../src/storage/place.ts";

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
test.skipIf(process.platform !== "linux")("where nothing can be made, that is said", () => {
  expect(() => makeDirectory("/proc/none/below")).toThrow(/ENOENT/);
});
