// One reading in a process of its own, bundled and started by ingest.bench.mjs: its time and its
// memory are those of a program that does nothing else.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { claudeCode } from "../src/dialects/claude-code/index.ts";
import { DIALECTS } from "../src/dialects/index.ts";
import { discover, thisMachine } from "../src/follow/discover.ts";
import { loadIndex, saveIndex } from "../src/follow/index-file.ts";
import { restoreLast } from "../src/follow/restore.ts";
import { readSessions } from "../src/follow/sessions.ts";

const [task, place, other] = process.argv.slice(2);
const TASKS = {
  index: indexHome,
  whole: wholeHome,
  list: listHome,
  parse: parseHome,
  last: lastList,
};
const said = await TASKS[task]();
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ ...said, ms: performance.now(), peak: maxRSS / 1024 }));

/** The first start: nothing is known, and what is learnt is kept. */
function indexHome() {
  const index = new Map();
  const { roster } = readHome(index);
  saveIndex(other, index);
  return resultOf(roster.tracks());
}

function wholeHome() {
  return resultOf(readHome(new Map(), { whole: true }).roster.tracks());
}

/** Every later start. */
function listHome() {
  const { roster, changed } = readHome(loadIndex(other));
  if (changed) throw new Error("The index is not up to date");
  return { tracks: roster.tracks().length };
}

function readHome(index, options) {
  return readSessions(DIALECTS, discover(DIALECTS, thisMachine(place, {})), index, options);
}

/** What a scan must not miss: lists with their history, plans, modes and refusals. */
function resultOf(tracks) {
  const known = tracks
    .map(({ live }) => ({
      who: [live.session, live.agent],
      track: live.track,
      plan: live.plan,
      writes: live.activity.counts.writes,
      rejected: live.activity.counts.rejected,
    }))
    .sort((a, b) => (a.who.join() < b.who.join() ? -1 : 1));
  const writes = known.reduce((sum, track) => sum + track.writes, 0);
  const digest = createHash("sha1").update(JSON.stringify(known)).digest("hex");
  return { tracks: known.length, writes, digest };
}

/** What one would write first. */
async function parseHome() {
  let records = 0;
  for (const { path } of discover([claudeCode], thisMachine(place, {})).sources)
    for await (const line of createInterface({ input: createReadStream(path) }))
      if (JSON.parse(line).type !== undefined) records++;
  return { records };
}

function lastList() {
  const source = { kind: "file", session: other, path: place };
  const { items = [] } = restoreLast(place, claudeCode, source) ?? {};
  return { items: items.length };
}
