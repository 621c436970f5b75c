import { monitorEventLoopDelay } from "node:perf_hooks";
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
  /** The longest that anything else had to wait, in milliseconds. */
  readonly blocked: number;
}

const [home = ""] = process.argv.slice(2);

async function run(): Promise<FirstReading> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await wait(100);
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
  // What was blocked until now is only noticed when the timers get their turn.
  await wait(50);
  delay.disable();
  follower.stop();
  const tracks = follower.tracks();
  return {
    tracks: tracks.length,
    writes: tracks.reduce((sum, { live }) => sum + live.activity.counts.writes, 0),
    first: first ?? [],
    files,
    early: await early,
    blocked: delay.max / 1e6,
  };
}

run().then((reading) => {
  console.log(JSON.stringify(reading));
});
