import { renameSync } from "node:fs";
import { DIALECTS } from "../../src/agents/index.ts";
import { thisMachine } from "../../src/sessions/transcripts/discover.ts";
import { follow } from "../../src/sessions/transcripts/follow.ts";
import { peakMemory } from "../peak-memory.ts";
import { pause, until } from "../until.ts";
import { watchBlocking } from "./blocking.ts";

/** What a process came to that followed a home folder until it had read so many lists of a file. */
export interface Followed {
  readonly writes: number;
  readonly last: readonly string[];
  readonly tooLarge: number;
  /** The longest that anything else had to wait, in milliseconds. */
  readonly blocked: number;
  /** By how many megabytes its memory grew. */
  readonly grown: number;
}

const [home = "", from = "", to = "", count = "0", patience = "0"] = process.argv.slice(2);

async function run(): Promise<Followed> {
  const follower = follow(DIALECTS, thisMachine(home, {}), { index: new Map() });
  await follower.ready;
  await pause(100, "what the process needs to start is taken by then");
  const longestBlock = watchBlocking();
  const before = peakMemory();
  renameSync(from, to);
  follower.sweep();
  const live = () => follower.tracks()[0]?.live;
  const isRead = () => (live()?.activity.counts.writes ?? 0) >= Number(count);
  // One that is not read to its end is reported as it is.
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
