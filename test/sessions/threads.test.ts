import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DIALECTS, findDialect } from "../../src/agents/index.ts";
import { discover } from "../../src/sessions/transcripts/discover.ts";
import type { Indexed } from "../../src/sessions/transcripts/fold.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import type { Index } from "../../src/sessions/transcripts/index-file.ts";
import type { Threads } from "../../src/sessions/transcripts/reading.ts";
import { readSessions } from "../../src/sessions/transcripts/sessions.ts";
import { readSource } from "../../src/sessions/transcripts/source.ts";
import { startTeam } from "../../src/sessions/transcripts/threads/threads.ts";
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
    DIALECTS,
    discover(DIALECTS, home.machine),
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

/** Whatever there is to be read is worth a thread. */
const eager = (file: string): Threads => ({ file, count: 2, worthwhile: 0 });
const alone: Threads = { count: 0 };

test("several threads learn what one learns", async () => {
  expect(existsSync(FILE)).toBe(true);
  const one = await read(alone);
  const several = await read(eager(FILE));
  expect(several).toEqual(one);
  expect(one.tracks).toBeGreaterThan(40);
});

test("what a thread delivers is what is read without it", async () => {
  const { sources } = discover(DIALECTS, home.machine);
  const readings = sources
    .filter(({ kind }) => kind === "file")
    .map((source) => ({ source, tail: 16_384 }));
  const delivered: Indexed[] = [];
  const team = startTeam({ readings, isBrief: false }, FILE, 1, (place, entry) => {
    delivered[place] = entry;
  });
  expect(await team.finish()).toEqual([]);
  expect(delivered).toEqual(
    readings.map(({ source }) => {
      const dialect = findDialect(source.dialect);
      return dialect && readSource(source, undefined, dialect);
    }),
  );
  expect(delivered.length).toBeGreaterThan(40);
  expect(team.take()).toBeGreaterThanOrEqual(readings.length);
});

test.each([
  ["ends at once", ""],
  ["breaks down", 'throw new Error("broken");'],
  ["is no program", "}{"],
  [
    "takes and does not deliver",
    'const { taken } = require("node:worker_threads").workerData; Atomics.add(taken, 0, 20);',
  ],
])("a thread that %s leaves nothing unread", async (_, code) => {
  const file = join(folder, "thread.cjs");
  writeFileSync(file, code);
  expect(await read(eager(file))).toEqual(await read(alone));
});

test("a follower starts with them, and can be stopped before they are done", async () => {
  const threads = eager(FILE);
  const whole = follow(DIALECTS, home.machine, { index: new Map(), threads });
  expect(whole.tracks()).toEqual([]);
  await whole.ready;
  expect(whole.tracks().length).toBe((await read(alone)).tracks);
  whole.stop();
  const stopped = follow(DIALECTS, home.machine, { index: new Map(), threads });
  stopped.stop();
  await stopped.ready;
  expect(stopped.tracks()).toEqual([]);
});

test("where the program is about to end the last thread that is ready has code optimised less", () => {
  // In a process of its own: it holds for all of it. What V8 compiled is good for one set of its
  // settings only, and its sign tells whether they changed.
  const script = `
    const { Worker } = require("node:worker_threads");
    const { cachedDataVersionTag } = require("node:v8");
    const [file, isBrief, awaited] = JSON.parse(process.argv[1]);
    const before = cachedDataVersionTag();
    const shared = (value) => new Int32Array(new SharedArrayBuffer(4)).fill(value);
    const workerData = { readings: [], isBrief, taken: shared(0), awaited: shared(awaited) };
    new Worker(file, { workerData }).on("exit", () =>
      console.log(cachedDataVersionTag() === before ? "as they were" : "changed"));
  `;
  const settings = (isBrief: boolean, awaited: number): string => {
    const args = ["-e", script, JSON.stringify([FILE, isBrief, awaited])];
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    // Of a setting that it does not know V8 complains there.
    expect(stderr).toBe("");
    return stdout.trim();
  };
  expect(settings(true, 1)).toBe("changed");
  expect(settings(true, 2)).toBe("as they were");
  expect(settings(false, 1)).toBe("as they were");
});
