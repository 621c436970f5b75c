import { existsSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takeLock, thisOwner } from "../../src/checks/file-lock.ts";
import { temporaryDirectory } from "../git/repositories.ts";

const LIMIT = { limitMs: 50 };

test("one owner at a time; a released lock can be taken", async () => {
  const dir = temporaryDirectory();
  const file = join(dir, "lock");
  const release = await takeLock(file);
  let waited = 0;
  expect(await takeLock(file, { ...LIMIT, onWait: () => waited++ })).toBeUndefined();
  expect(waited).toBe(1);
  release?.();
  (await takeLock(file, LIMIT))?.();
  expect(readdirSync(dir)).toEqual([]);
});

test("takes over the lock of a process that has ended", async () => {
  const dir = temporaryDirectory();
  const file = join(dir, "lock");
  writeFileSync(file, JSON.stringify({ ...thisOwner(), startTime: "1" }));
  const release = await takeLock(file, LIMIT);
  expect(release).toBeDefined();
  release?.();
  expect(readdirSync(dir)).toEqual([]);
});

test("a lock of another pid namespace counts while it is touched", async () => {
  const file = join(temporaryDirectory(), "lock");
  writeFileSync(file, JSON.stringify({ ...thisOwner(), pid: 1, namespace: "other" }));
  expect(await takeLock(file, LIMIT)).toBeUndefined();
  utimesSync(file, 1, 1);
  expect(await takeLock(file, LIMIT)).toBeDefined();
  expect(existsSync(file)).toBe(true);
});

test("waiting ends on abort", async () => {
  const file = join(temporaryDirectory(), "lock");
  await takeLock(file);
  const controller = new AbortController();
  const waiting = takeLock(file, { signal: controller.signal, onWait: () => controller.abort() });
  await expect(waiting).rejects.toThrow();
});
