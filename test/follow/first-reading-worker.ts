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
  /** How many were known when a timer first got its turn. */
  readonly early: number;
  /** The longest that the program kept everything else waiting, in milliseconds. */
  readonly blocked: number;
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

const [home = ""] = process.argv.slice(2);

async function run(): Promise<FirstReading> {
  await wait(100);
  const longestBlock = watchBlocking();
  let first: readonly string[] | undefined;
  let files = 0;
  const follower = follow(DIALECTS, thisMachine(home, {}), {
    index: new Map(),
    onProgress: (_, total) => {
      files = total;
      first ??= follower.tracks().map(({ live }) => live.session);
    },
  });
  const early = wait(5).then(() => follower.tracks().length);
  await follower.ready;
  const blocked = longestBlock();
  follower.stop();
  const tracks = follower.tracks();
  return {
    tracks: tracks.length,
    writes: tracks.reduce((sum, { live }) => sum + live.activity.counts.writes, 0),
    first: first ?? [],
    files,
    early: await early,
    blocked,
  };
}

run().then((reading) => {
  console.log(JSON.stringify(reading));
});
