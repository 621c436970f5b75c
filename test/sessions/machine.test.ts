import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { UsageError } from "../../src/core/error.ts";
import { thisMachine } from "../../src/sessions/transcripts/discover.ts";
import {
  indexOf,
  machineOf,
  saveIndexOf,
  type TranscriptsCall,
} from "../../src/sessions/transcripts/machine.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "waymark-machine-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

test("the machine is this one, or that of a home directory without our environment", () => {
  const env = { CODEX_HOME: "/codex" };
  expect(JSON.stringify(machineOf(env, undefined))).toBe(
    JSON.stringify(thisMachine(undefined, env)),
  );
  expect(JSON.stringify(machineOf(env, dir))).toBe(JSON.stringify(thisMachine(dir, {})));
  expect(JSON.stringify(machineOf(env, dir))).not.toBe(JSON.stringify(thisMachine(dir, env)));
});

test("a home directory must exist; a long name is cut", () => {
  writeFileSync(join(dir, "file"), "");
  const path = `${dir}/${"x".repeat(60)}`;
  for (const home of [join(dir, "missing"), join(dir, "file"), path])
    expect(() => machineOf({}, home)).toThrow(
      new UsageError(`Invalid --home "${home.slice(0, 60)}". Use an existing directory.`),
    );
});

test("the index is stored in our home, and is empty for another user", () => {
  const printed: string[] = [];
  const call = {
    home: { path: join(dir, "home") },
    terminal: { printError: (line: string) => void printed.push(line) },
  } as unknown as TranscriptsCall;
  mkdirSync(call.home.path);
  const index = indexOf(call, undefined);
  expect([...index]).toEqual([]);
  saveIndexOf(call, index);
  expect([existsSync(join(dir, "home", "index.json")), printed]).toEqual([true, []]);
  expect([...indexOf(call, dir)]).toEqual([]);
  rmSync(call.home.path, { recursive: true });
  writeFileSync(call.home.path, "");
  saveIndexOf(call, index);
  expect(printed).toEqual([
    expect.stringMatching(/^waymark: the index of sessions cannot be saved \(.+\)$/),
  ]);
});
