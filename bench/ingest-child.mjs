// One reading in its own process, bundled and started by ingest.bench.mjs: its time and memory are
// those of a program that does nothing else.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { claudeCode } from "../src/agents/claude-code/decoder.ts";
import { DECODERS } from "../src/agents/index.ts";
import { discover, thisMachine } from "../src/sessions/transcripts/discover.ts";
import { findLastList } from "../src/sessions/transcripts/find-last-list.ts";
import { loadIndex } from "../src/sessions/transcripts/index-file.ts";
import { openSieve } from "../src/sessions/transcripts/scan/sieve.ts";
import { readSessions } from "../src/sessions/transcripts/sessions.ts";

const NEEDLES = claudeCode.usage
  ? [...claudeCode.needles, claudeCode.usage.needle]
  : claudeCode.needles;
const [task, place, other] = process.argv.slice(2);
const TASKS = {
  whole: wholeHome,
  list: listHome,
  search: searchHome,
  read: () => shareHome(() => 0),
  sieve: () => shareHome(countNeedles),
  parse: parseHome,
  last: lastList,
  needles: () => NEEDLES,
};
const result = await TASKS[task]();
if (isMainThread) console.log(JSON.stringify(result));

/** Reads every line: the reference result. */
async function wholeHome() {
  const { roster } = await readHome(new Map(), { whole: true });
  return resultOf(roster.tracks());
}

/** The index of the first start, which must be up to date. */
async function listHome() {
  const { roster, changed } = await readHome(loadIndex(other));
  if (changed) throw new Error("The index is not up to date");
  return resultOf(roster.tracks());
}

function readHome(index, options) {
  return readSessions(DECODERS, discover(DECODERS, thisMachine(place, {})), index, options);
}

/**
 * The results that a scan must not miss: lists with their history, plans, modes, refusals and usage.
 * Evidence and its events are not compared: checks on skipped lines prove nothing.
 */
function resultOf(tracks) {
  const known = tracks
    .map(({ live }) => ({
      who: [live.session, live.agent],
      track: {
        ...live.track,
        version: undefined,
        todos: live.track.todos.map(({ check: _, ...todo }) => todo),
      },
      plan: live.plan,
      writes: live.activity.counts.writes,
      rejected: live.activity.counts.rejected,
      usage: live.usage,
    }))
    .sort((a, b) => (a.who.join() < b.who.join() ? -1 : 1));
  const writes = known.reduce((sum, track) => sum + track.writes, 0);
  const digest = createHash("sha1").update(JSON.stringify(known, inOrder)).digest("hex");
  return { tracks: known.length, writes, digest };
}

/** Stored fields have another order than those just read. */
function inOrder(_, value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The lower bound in Node: reads every byte and searches for one word. */
function searchHome() {
  const block = Buffer.allocUnsafeSlow(1024 * 1024);
  let found = 0;
  for (const { path } of discover([claudeCode], thisMachine(place, {})).sources) {
    const handle = openSync(path, "r");
    for (let got = readSync(handle, block); got > 0; got = readSync(handle, block)) {
      const bytes = block.subarray(0, got);
      for (let at = bytes.indexOf("TodoWrite"); at !== -1; at = bytes.indexOf("TodoWrite", at + 1))
        found++;
    }
    closeSync(handle);
  }
  return { found };
}

/**
 * The lower bound with threads: as many as the program starts read every byte and pass it to
 * `look`.
 */
async function shareHome(look) {
  const taken = workerData ?? new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const helpers = isMainThread ? Math.min(3, availableParallelism() - 1) : 0;
  const argv = [task, place];
  const threads = Array.from(
    { length: helpers },
    () => new Worker(new URL(import.meta.url), { argv, workerData: taken }),
  );
  const { sources } = discover([claudeCode], thisMachine(place, {}));
  const sieve = openSieve(1024 * 1024);
  let found = 0;
  for (let at = Atomics.add(taken, 0, 1); at < sources.length; at = Atomics.add(taken, 0, 1)) {
    const handle = openSync(sources[at].path, "r");
    for (let got = readSync(handle, sieve.buffer); got > 0; got = readSync(handle, sieve.buffer))
      found += look(sieve, got);
    closeSync(handle);
  }
  await Promise.all(threads.map((thread) => once(thread, "exit")));
  return { found };
}

function countNeedles(sieve, length) {
  const finder = sieve.finder(NEEDLES);
  finder.begin(length);
  let found = 0;
  for (let at = finder.next(0); at < length; at = finder.next(at + 1)) found++;
  return found;
}

/** The obvious first implementation. */
async function parseHome() {
  let records = 0;
  for (const { path } of discover([claudeCode], thisMachine(place, {})).sources)
    for await (const line of createInterface({ input: createReadStream(path) }))
      if (JSON.parse(line).type !== undefined) records++;
  return { records };
}

function lastList() {
  const source = { kind: "file", session: other, path: place };
  const { items = [] } = findLastList(place, claudeCode, source) ?? {};
  return { items: items.length };
}
