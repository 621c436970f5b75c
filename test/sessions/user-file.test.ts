import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { userFile } from "../../src/sessions/user-file.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "waymark-user-file-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
});

let parsed = 0;
const names = userFile<readonly string[]>({
  name: "names.json",
  what: "the names",
  parse: ({ names: given }) => {
    parsed += 1;
    return Array.isArray(given) ? given : [];
  },
  print: (given) => ({ names: given }),
});

test("is empty, then has what was written, and nothing if it is damaged", async () => {
  expect(names.read(home)).toEqual([]);
  await names.change(home, (current) => [...current, "a"]);
  await names.change(home, (current) => [...current, "b"]);
  expect(names.read(home)).toEqual(["a", "b"]);
  expect(readFileSync(join(home, "names.json"), "utf8")).toBe('{"version":1,"names":["a","b"]}\n');
  for (const damaged of ["", "{", "[]", "5", "null"]) {
    writeFileSync(join(home, "names.json"), damaged);
    expect(names.read(home)).toEqual([]);
  }
});

test("is parsed again only when it changed", async () => {
  const read = names.reader(home);
  const before = parsed;
  expect([read(), read(), parsed - before]).toEqual([[], [], 1]);
  await names.change(home, () => ["a"]);
  const after = parsed;
  expect([read(), read(), parsed - after]).toEqual([["a"], ["a"], 1]);
});

test("loses no change of concurrent writers", async () => {
  const given = Array.from({ length: 8 }, (_, n) => `${n}`);
  await Promise.all(given.map((name) => names.change(home, (all) => [...all, name])));
  expect([...names.read(home)].sort()).toEqual(given);
});

test("names the file that cannot be read", async () => {
  const file = join(home, "names.json");
  mkdirSync(file);
  expect(() => names.read(home)).toThrow(/names/);
  await expect(names.change(home, (all) => all)).rejects.toThrow(/names/);
});

test("keeps the last content while it cannot be read", async () => {
  await names.change(home, () => ["a"]);
  const read = names.reader(home);
  expect(read()).toEqual(["a"]);
  renameSync(home, `${home}.away`);
  writeFileSync(home, "");
  expect(read()).toEqual(["a"]);
  expect(names.reader(home)).toThrow(/ENOTDIR/);
  rmSync(home);
  renameSync(`${home}.away`, home);
  await names.change(home, () => ["b"]);
  expect(read()).toEqual(["b"]);
});

test("is watched until the watch is stopped", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  const stop = names.watch(home, () => {
    calls += 1;
  });
  const callsAfter = (text?: string) => {
    if (text !== undefined) writeFileSync(join(home, "names.json"), text);
    vi.advanceTimersByTime(1_000);
    return calls;
  };
  expect([callsAfter(), callsAfter("{}"), callsAfter(), callsAfter('{"a":1}')]).toEqual([
    0, 1, 1, 2,
  ]);
  stop();
  expect(callsAfter("{ }  ")).toBe(2);
});
