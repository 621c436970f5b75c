import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DECODERS, findDecoder } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed } from "../../src/sessions/transcripts/fold.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import type { Index } from "../../src/sessions/transcripts/index-file.ts";
import { readSessionFile } from "../../src/sessions/transcripts/read-file.ts";
import type { Threads } from "../../src/sessions/transcripts/read-units.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { startPool } from "../../src/sessions/transcripts/threads/pool.ts";
import { CLAUDE, fillHome, fixture, newUserHome, type UserHome } from "./home.ts";

const FILE = resolve("dist/reading-thread.cjs");

let home: UserHome;
let folder: string;
beforeEach(() => {
  home = newUserHome();
  folder = mkdtempSync(join(tmpdir(), "waymark-threads-"));
  fillHome(home);
  const text = fixture(`claude-code/todo-write/projects/-home-dev-demo/${CLAUDE}.jsonl`);
  for (let count = 0; count < 40; count++) {
    const session = CLAUDE.replace(/.{4}$/, String(1_000 + count));
    home.write(`.claude/projects/-many/${session}.jsonl`, text.replaceAll(CLAUDE, session));
  }
});
afterEach(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function read(threads: Threads) {
  const index: Index = new Map();
  const done: number[] = [];
  const { roster, unreadable, changed } = await readSessions(
    DECODERS,
    discover(DECODERS, home.machine),
    index,
    { threads, onProgress: (count) => done.push(count) },
  );
  return {
    index: [...index].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    tracks: roster.tracks().length,
    unreadable,
    changed,
    done,
  };
}

/** Threads are started for any amount of data. */
const eager = (file: string): Threads => ({ file, count: 2, worthwhile: 0 });
const alone: Threads = { count: 0 };

test("gives the same result with several threads as with one", async () => {
  expect(existsSync(FILE)).toBe(true);
  const one = await read(alone);
  const several = await read(eager(FILE));
  expect(several).toEqual(one);
  expect(one.tracks).toBeGreaterThan(40);
});

test("delivers what the main thread would read", async () => {
  const { sources } = discover(DECODERS, home.machine);
  const readings = sources
    .filter(({ kind }) => kind === "file")
    .map((source) => ({ source, tail: 16_384 }));
  const delivered: Indexed[] = [];
  const pool = startPool({ readings, isBrief: false }, FILE, 1, (position, entry) => {
    delivered[position] = entry;
  });
  expect(await pool.finish()).toEqual([]);
  expect(delivered).toEqual(
    readings.map(({ source }) => {
      const dialect = findDecoder(source.dialect);
      return dialect && readSessionFile(source, undefined, dialect);
    }),
  );
  expect(delivered.length).toBeGreaterThan(40);
  expect(pool.take()).toBeGreaterThanOrEqual(readings.length);
});

test.each([
  ["ends at once", ""],
  ["breaks down", 'throw new Error("broken");'],
  ["is no program", "}{"],
  [
    "claims files and does not deliver",
    'const { claimed } = require("node:worker_threads").workerData; Atomics.add(claimed, 0, 20);',
  ],
])("reads everything although a thread %s", async (_, code) => {
  const file = join(folder, "thread.cjs");
  writeFileSync(file, code);
  expect(await read(eager(file))).toEqual(await read(alone));
});

test("can stop a follower before its threads are done", async () => {
  const threads = eager(FILE);
  const whole = follow(DECODERS, home.machine, { index: new Map(), threads });
  expect(whole.tracks()).toEqual([]);
  await whole.ready;
  expect(whole.tracks().length).toBe((await read(alone)).tracks);
  whole.stop();
  const stopped = follow(DECODERS, home.machine, { index: new Map(), threads });
  stopped.stop();
  await stopped.ready;
  expect(stopped.tracks()).toEqual([]);
});

test("reduces optimization when the last thread has started in a short-lived program", () => {
  // In a separate process: the flags affect all of it. The tag of V8's compiled code changes with them.
  const script = `
    const { Worker } = require("node:worker_threads");
    const { cachedDataVersionTag } = require("node:v8");
    const [file, isBrief, starting] = JSON.parse(process.argv[1]);
    const before = cachedDataVersionTag();
    const shared = (value) => new Int32Array(new SharedArrayBuffer(4)).fill(value);
    const workerData = { readings: [], isBrief, claimed: shared(0), starting: shared(starting) };
    new Worker(file, { workerData }).on("exit", () =>
      console.log(cachedDataVersionTag() === before ? "unchanged" : "changed"));
  `;
  const settings = (isBrief: boolean, starting: number): string => {
    const args = ["-e", script, JSON.stringify([FILE, isBrief, starting])];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    // V8 prints a warning for an unknown flag.
    expect(stderr).toBe("");
    return stdout.trim();
  };
  expect(settings(true, 1)).toBe("changed");
  expect(settings(true, 2)).toBe("unchanged");
  expect(settings(false, 1)).toBe("unchanged");
});
