import { createInterface } from "node:readline";
import { newToken } from "../../../src/home/server.ts";
import { openAccess } from "../../../src/servers/http/access/access.ts";
import { boardRoutes } from "../../../src/servers/http/board.ts";
import { openBroadcast } from "../../../src/servers/http/broadcast.ts";
import { serveHttp } from "../../../src/servers/http/server.ts";
import { pause } from "../../until.ts";

/** A server in a process of its own that says a thousand things a second, and watches its memory. */

export interface LoudOrders {
  readonly seconds: number;
  readonly bytes: number;
}

export interface LoudReport {
  readonly said: number;
  readonly dropped: number;
  readonly listeners: number;
  /** Bytes by which the process grew at most, from before anybody came. */
  readonly growth: number;
}

const EACH_SECOND = 1_000;
const AT_ONCE = 50;
const { seconds, bytes } = JSON.parse(process.argv[2] ?? "{}") as LoudOrders;
const broadcast = openBroadcast();
const access = openAccess(newToken());
const server = await serveHttp({
  routes: boardRoutes({
    tracks: () => [],
    past: () => Promise.reject(new Error("nobody asks")),
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

async function speak(): Promise<void> {
  const text = "x".repeat(bytes);
  const total = seconds * EACH_SECOND;
  const began = performance.now();
  let n = 0;
  while (n < total) {
    const due = Math.ceil(((performance.now() - began) / 1_000) * EACH_SECOND);
    // A machine that stood still for a moment goes on, instead of saying everything at once.
    const most = Math.min(total, due, n + AT_ONCE);
    while (n < most) broadcast.say("event", { n: ++n, text });
    await pause(5, "a thousand messages are spread over a second");
  }
}

const answers: Readonly<Record<string, () => unknown>> = {
  where: () => ({ port: server.port, token: access.token }),
  joined: () => broadcast.listeners,
  go: async () => {
    await speak();
    return { said: seconds * EACH_SECOND };
  },
  report: () =>
    ({
      said: seconds * EACH_SECOND,
      dropped: broadcast.dropped,
      listeners: broadcast.listeners,
      growth,
    }) satisfies LoudReport,
};

console.log("ready");
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await answers[line]?.()));
broadcast.close();
await server.close();
