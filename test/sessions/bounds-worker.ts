import { renameSync } from "node:fs";
import { DECODERS } from "../../src/agents/index.ts";
import { thisMachine } from "../../src/sessions/transcripts/discover.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { peakMemory } from "../peak-memory.ts";
import { pause, until } from "../until.ts";
import { watchBlocking } from "./blocking.ts";

/** The result of a process that followed a home folder until it had read this many lists of a file. */
export interface FollowResult {
  readonly writes: number;
  readonly last: readonly string[];
  readonly tooLarge: number;
  /** The longest time the event loop was blocked, in milliseconds. */
  readonly blocked: number;
  /** Growth of its memory in megabytes. */
  readonly grown: number;
}

const [home = "", from = "", to = "", count = "0", patience = "0"] = process.argv.slice(2);

async function run(): Promise<FollowResult> {
  const follower = follow(DECODERS, thisMachine(home, {}), { index: new Map() });
  await follower.ready;
  await pause(100, "memory needed for the start is allocated by then");
  const longestBlock = watchBlocking();
  const before = peakMemory();
  renameSync(from, to);
  follower.sweep();
  const live = () => follower.tracks()[0]?.live;
  const isRead = () => (live()?.activity.counts.writes ?? 0) >= Number(count);
  // On timeout, reports what was read.
  await until(isRead, "all lists", { timeout: Number(patience), interval: 5 }).catch(() => false);
  const blocked = longestBlock();
  follower.stop();
  return {
    writes: live()?.activity.counts.writes ?? 0,
    last: live()?.track.todos.map(({ text, status }) => `${status} ${text}`) ?? [],
    tooLarge: live()?.skipped.too_large ?? 0,
    blocked,
    grown: peakMemory() - before,
  };
}

run().then((followed) => {
  console.log(JSON.stringify(followed));
});
