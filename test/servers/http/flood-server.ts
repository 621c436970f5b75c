import { createInterface } from "node:readline";
import { newToken } from "../../../src/home/server.ts";
import { openAccess } from "../../../src/servers/http/access/access.ts";
import { boardRoutes } from "../../../src/servers/http/board.ts";
import { openBroadcast } from "../../../src/servers/http/broadcast.ts";
import { serveHttp } from "../../../src/servers/http/server.ts";
import { pause } from "../../until.ts";

/** A server in its own process that publishes a thousand events a second and measures its memory. */

export interface FloodOptions {
  readonly seconds: number;
  readonly bytes: number;
}

export interface FloodReport {
  readonly published: number;
  readonly dropped: number;
  readonly subscribers: number;
  /** The most bytes by which the process grew since before the first client. */
  readonly growth: number;
}

const PER_SECOND = 1_000;
const AT_ONCE = 50;
const { seconds, bytes } = JSON.parse(process.argv[2] ?? "{}") as FloodOptions;
const broadcast = openBroadcast();
const access = openAccess(newToken());
const server = await serveHttp({
  routes: boardRoutes({
    tracks: () => [],
    past: () => Promise.reject(new Error("not requested")),
    files: () => Promise.reject(new Error("not requested")),
    broadcast,
  }),
  access,
  port: 0,
  onFault: (message) => console.error(message),
});
const before = process.memoryUsage.rss();
let growth = 0;
setInterval(() => {
  growth = Math.max(growth, process.memoryUsage.rss() - before);
}, 100).unref();

async function flood(): Promise<void> {
  const text = "x".repeat(bytes);
  const total = seconds * PER_SECOND;
  const began = performance.now();
  let n = 0;
  while (n < total) {
    const due = Math.ceil(((performance.now() - began) / 1_000) * PER_SECOND);
    // After a pause of the machine, the rate is kept instead of sending everything at once.
    const most = Math.min(total, due, n + AT_ONCE);
    while (n < most) broadcast.publish("event", { n: ++n, text });
    await pause(5, "a thousand messages are spread over a second");
  }
}

const answers: Readonly<Record<string, () => unknown>> = {
  address: () => ({ port: server.port, token: access.token }),
  subscribers: () => broadcast.subscribers,
  flood: async () => {
    await flood();
    return { published: seconds * PER_SECOND };
  },
  report: () =>
    ({
      published: seconds * PER_SECOND,
      dropped: broadcast.dropped,
      subscribers: broadcast.subscribers,
      growth,
    }) satisfies FloodReport,
};

console.log("ready");
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await answers[line]?.()));
broadcast.close();
await server.close();
