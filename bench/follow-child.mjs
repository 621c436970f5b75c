// A process that follows every session of a home, bundled and started by follow.bench.mjs. Prints
// each list with the time it was seen, and its own cost at the end.
import { DECODERS } from "../src/agents/index.ts";
import { thisMachine } from "../src/sessions/transcripts/discover.ts";
import { follow } from "../src/sessions/transcripts/follow.ts";

const [home] = process.argv.slice(2);
const follower = follow(DECODERS, thisMachine(home, {}), {
  index: new Map(),
  onUpdates: (updates) => {
    const now = Date.now();
    for (const { event } of updates)
      if (event.type === "todo_list") process.send({ seen: event.items[0]?.text, now });
  },
});
await follower.ready;
process.send({ tracks: follower.tracks().length });

let since = process.cpuUsage();
process.on("message", (asked) => {
  if (asked === "begin") since = process.cpuUsage();
  if (asked === "cost") {
    const { user, system } = process.cpuUsage(since);
    process.send({ cpu: (user + system) / 1000, rss: process.memoryUsage().rss / 2 ** 20 });
  }
  if (asked === "stop") {
    follower.stop();
    process.disconnect();
  }
});
