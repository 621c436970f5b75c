import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { DIALECTS } from "../../src/dialects/index.ts";
import { thisMachine } from "../../src/follow/discover.ts";
import { follow } from "../../src/follow/follow.ts";

/** What a process came to that began to follow a home in which there is much to read. */
export interface FirstReading {
  readonly tracks: number;
  readonly writes: number;
  /** Who was known when the first file had been read, and how many files there were. */
  readonly first: readonly string[];
  readonly files: number;
  /** How many were known when a timer that began with the first of them got its turn. */
  readonly early: number;
  /** The longest that the program kept everything else waiting, in milliseconds. */
  readonly blocked: number;
  /** Milliseconds until the first was known. */
  readonly waited: number;
  /** The most memory it ever had, in megabytes, and the most files it had open at once. */
  readonly memory: number;
  readonly handles: number;
}

/**
 * What a busy machine keeps waiting is not counted: between two ticks of a clock, no more time was
 * blocked than the process worked.
 */
function watchBlocking(): () => number {
  let longest = 0;
  let at = performance.now();
  let worked = process.cpuUsage();
  const tick = (): void => {
    const { user, system } = process.cpuUsage(worked);
    longest = Math.max(longest, Math.min(performance.now() - at, (user + system) / 1_000));
    at = performance.now();
    worked = process.cpuUsage();
  };
  const timer = setInterval(tick, 5);
  return () => {
    clearInterval(timer);
    tick();
    return longest;
  };
}

function watchHandles(): () => number {
  const count = () => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);
  let most = count();
  const timer = setInterval(() => {
    most = Math.max(most, count());
  }, 20);
  return () => {
    clearInterval(timer);
    return most;
  };
}

const [home = ""] = process.argv.slice(2);

async function run(): Promise<FirstReading> {
  await wait(100);
  const longestBlock = watchBlocking();
  const mostHandles = watchHandles();
  const began = performance.now();
  let waited = 0;
  let first: readonly string[] | undefined;
  let files = 0;
  let early: Promise<number> | undefined;
  const follower = follow(DIALECTS, thisMachine(home, {}), {
    index: new Map(),
    onProgress: (_, total) => {
      files = total;
      if (!first) waited = performance.now() - began;
      first ??= follower.tracks().map(({ live }) => live.session);
      early ??= wait(5).then(() => follower.tracks().length);
    },
  });
  await follower.ready;
  const blocked = longestBlock();
  follower.stop();
  const tracks = follower.tracks();
  return {
    tracks: tracks.length,
    writes: tracks.reduce((sum, { live }) => sum + live.activity.counts.writes, 0),
    first: first ?? [],
    files,
    early: (await early) ?? 0,
    blocked,
    waited,
    memory: process.resourceUsage().maxRSS / 1024,
    handles: mostHandles(),
  };
}

run().then((reading) => {
  console.log(JSON.stringify(reading));
});
