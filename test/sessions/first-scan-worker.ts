import { readdirSync } from "node:fs";
import { DECODERS } from "../../src/agents/index.ts";
import { thisMachine } from "../../src/sessions/transcripts/discover.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { peakMemory } from "../peak-memory.ts";
import { pause } from "../until.ts";
import { watchBlocking } from "./blocking.ts";

/** The result of a process that starts to follow a home with much to read. */
export interface FirstReading {
  readonly tracks: number;
  readonly writes: number;
  /** The sessions known after the first file, and the number of files. */
  readonly first: readonly string[];
  readonly files: number;
  /** How many were known when a timer fired that was started with the first one. */
  readonly early: number;
  /** The longest time the event loop was blocked, in milliseconds. */
  readonly blocked: number;
  /** Milliseconds until the first was known. */
  readonly waited: number;
  /** Peak memory in megabytes, and peak number of open files. */
  readonly memory: number;
  readonly handles: number;
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
  await pause(100, "memory needed for the start is allocated by then");
  const longestBlock = watchBlocking();
  const mostHandles = watchHandles();
  const began = performance.now();
  let waited = 0;
  let first: readonly string[] | undefined;
  let files = 0;
  let early: Promise<number> | undefined;
  const follower = follow(DECODERS, thisMachine(home, {}), {
    index: new Map(),
    onProgress: (_, total) => {
      files = total;
      if (!first) waited = performance.now() - began;
      first ??= follower.tracks().map(({ live }) => live.session);
      early ??= pause(5, "a timer that begins with the first").then(() => follower.tracks().length);
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
    memory: peakMemory(),
    handles: mostHandles(),
  };
}

run().then((reading) => {
  console.log(JSON.stringify(reading));
});
