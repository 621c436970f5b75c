import { renameSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { DIALECTS } from "../../src/dialects/index.ts";
import { thisMachine } from "../../src/follow/discover.ts";
import { follow } from "../../src/follow/follow.ts";

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
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  // What the process needs to run at all is taken by now, and the clock of the loop is going.
  await wait(100);
  const before = process.resourceUsage().maxRSS;
  renameSync(from, to);
  follower.sweep();
  const deadline = performance.now() + Number(patience);
  const live = () => follower.tracks()[0]?.live;
  while ((live()?.activity.counts.writes ?? 0) < Number(count) && performance.now() < deadline)
    await wait(5);
  follower.stop();
  // What was blocked until now is only noticed when the timers get their turn.
  await wait(50);
  delay.disable();
  return {
    writes: live()?.activity.counts.writes ?? 0,
    last: live()?.track.todos.map(({ text, status }) => `${status} ${text}`) ?? [],
    tooLarge: live()?.skipped.too_large ?? 0,
    blocked: delay.max / 1e6,
    grown: (process.resourceUsage().maxRSS - before) / 1024,
  };
}

run().then((followed) => {
  console.log(JSON.stringify(followed));
});
