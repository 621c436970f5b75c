import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { appendLine, readLog } from "../../src/engines/storage/log-file.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "waymark-log-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("creates the directory with the first line", () => {
  const home = join(root, "share", "waymark");
  const log = join(home, "hook.log");
  appendLine(log, "one", 0);
  appendLine(log, "two", 1_000);
  expect(readLog(log)).toEqual(["1970-01-01T00:00:00.000Z one", "1970-01-01T00:00:01.000Z two"]);
  if (process.platform !== "win32") expect(statSync(home).mode & 0o777).toBe(0o700);
});

test("ignores errors", () => {
  const log = join(root, "file", "hook.log");
  appendLine(join(root, "file"), "in the way", 0);
  appendLine(log, "one", 0);
  expect(readLog(join(root, "file"))).toEqual(["1970-01-01T00:00:00.000Z in the way"]);
});
