import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import {
  type Broadcast,
  type BroadcastOptions,
  openBroadcast,
} from "../../../src/servers/http/broadcast.ts";
import { findRoute } from "../../../src/servers/http/routes.ts";
import { taskRoutes } from "../../../src/servers/http/tasks/routes.ts";
import { memoryTaskStore } from "../../../src/tasks/memory.ts";
import { FULL } from "../../full.ts";
import { until } from "../../until.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(
  options: BroadcastOptions = {},
): Promise<{ broadcast: Broadcast; port: number; server: Server }> {
  const broadcast = openBroadcast({ batchDelay: 1, ...options });
  const server: Server = createServer((request, response) => {
    if (request.method === "GET")
      broadcast.subscribe(response, request.headers["last-event-id"] as string | undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    broadcast.close();
    server.closeAllConnections();
    server.close();
  });
  return { broadcast, port: (server.address() as AddressInfo).port, server };
}

interface Reader {
  readonly received: { id: string; type: string; data: { n?: number } }[];
  disconnect(): void;
  until(done: (received: Reader["received"]) => boolean): Promise<void>;
}

function read(port: number, after?: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const headers = after === undefined ? {} : { "last-event-id": after };
    const request = get({ host: "127.0.0.1", port, headers }, (response: IncomingMessage) => {
      const received: Reader["received"] = [];
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const frames = (rest + chunk).split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) {
          const fields = Object.fromEntries(
            frame.split("\n").map((line) => {
              const cut = line.indexOf(": ");
              return [line.slice(0, cut), line.slice(cut + 2)];
            }),
          );
          if (fields.data)
            received.push({
              id: fields.id ?? "",
              type: fields.event ?? "",
              data: JSON.parse(fields.data),
            });
        }
      });
      response.on("error", () => undefined);
      resolve({
        received,
        disconnect: () => request.destroy(),
        until: async (done) => {
          await until(() => done(received), "the messages", { interval: 2 });
        },
      });
    });
    request.on("error", reject);
    ends.push(() => request.destroy());
  });
}

const numbers = ({ received }: Reader) => received.map(({ data }) => data.n);
const upTo = (last: number, from = 1) =>
  Array.from({ length: last - from + 1 }, (_, i) => from + i);

test("delivers each event exactly once, in order", async () => {
  const { broadcast, port } = await serve();
  const reader = await read(port);
  for (const n of upTo(500)) broadcast.publish("event", { n });
  await reader.until((received) => received.length >= 500);
  expect(numbers(reader)).toEqual(upTo(500));
});

test("publishes a user's task change before the response", async () => {
  const { broadcast, port, server } = await serve({ batchDelay: 60_000 });
  const store = memoryTaskStore();
  const { routes, stop } = taskRoutes({
    open: async () => store,
    broadcast,
    onProblem: (error) => expect.unreachable(String(error)),
  });
  ends.push(stop);
  const url = new URL(`http://127.0.0.1:${port}/api/tasks`);
  server.on("request", (request, response) => {
    const found = findRoute(routes, request.method ?? "", url.pathname);
    if (request.method === "POST" && found && "route" in found)
      void found.route.handle({ request, response, url, params: {}, client: "program" });
  });
  const reader = await read(port);
  const op = { op: "add", tasks: [{ subject: "Paint" }] };
  const body = JSON.stringify({ op, key: "once" });
  const headers = { "content-type": "application/json" };
  const { status } = await fetch(url, { method: "POST", headers, body });
  expect(status).toBe(200);
  await reader.until(({ length }) => length > 0);
  expect(reader.received).toMatchObject([
    { type: "tasks", data: { tasks: [{ subject: "Paint" }] } },
  ]);
});

test("replays missed events after a reconnect, each once", {
  tags: ["many-clients"],
  timeout: 120_000,
}, async () => {
  const { broadcast, port } = await serve();
  const first = await read(port);
  for (const n of upTo(10)) broadcast.publish("event", { n });
  await first.until((received) => received.length >= 10);
  first.disconnect();
  for (const n of upTo(20, 11)) broadcast.publish("event", { n });
  const second = await read(port, first.received.at(-1)?.id);
  for (const n of upTo(30, 21)) broadcast.publish("event", { n });
  await second.until((received) => received.length >= 20);
  expect([...numbers(first), ...numbers(second)]).toEqual(upTo(30));
});

const RETURNS = FULL ? 10_000 : 150;

test(`loses and repeats no event over ${RETURNS} reconnects`, {
  tags: ["many-clients"],
  timeout: 120_000,
}, async () => {
  const { broadcast, port } = await serve();
  const seen: (number | undefined)[] = [];
  let last: string | undefined;
  let received = 0;
  const say = (count: number) => {
    for (let n = 0; n < count; n++) broadcast.publish("event", { n: ++received });
  };
  for (let turn = 0; turn < RETURNS; turn++) {
    say(turn % 4);
    const reader = await read(port, last ?? broadcast.cursor.replace(/\d+$/, "0"));
    say(turn % 3);
    // Sometimes it disconnects before it has received everything.
    const wanted = turn % 5 === 0 ? 0 : received - seen.length;
    await reader.until(({ length }) => length >= wanted);
    reader.disconnect();
    seen.push(...numbers(reader));
    last = reader.received.at(-1)?.id ?? last;
  }
  const rest = await read(port, last);
  await rest.until(({ length }) => seen.length + length >= received);
  expect([...seen, ...numbers(rest)]).toEqual(upTo(received));
});

test("sends text with line breaks of any kind as one event", {
  tags: ["header-injection"],
}, async () => {
  const { broadcast, port } = await serve();
  const reader = await read(port);
  const breaks = [
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\r\n\r\n",
    "\u0085",
    "\u2028",
    "\u2029",
    "\v",
    "\f",
    "\0",
  ];
  const texts = breaks.flatMap((each) => [
    `${each}data: {"n":0}${each}${each}`,
    `a${each}event: anew${each}id: x.1${each}retry: 1${each}${each}data: {}`,
    `${each}: alive`,
  ]);
  for (const text of texts) broadcast.publish("event", { [text]: text, text });
  broadcast.publish("event", { n: texts.length });
  await reader.until((received) => received.at(-1)?.data.n === texts.length);
  const era = broadcast.cursor.split(".")[0];
  expect(reader.received).toEqual([
    ...texts.map((text, index) => ({
      id: `${era}.${index + 1}`,
      type: "event",
      data: { [text]: text, text },
    })),
    { id: `${era}.${texts.length + 1}`, type: "event", data: { n: texts.length } },
  ]);
});

test.each([
  ["from before a restart", () => "00000000.3"],
  ["that is no longer buffered", (b: Broadcast) => `${b.cursor.split(".")[0]}.1`],
  ["of an event that was never sent", (b: Broadcast) => `${b.cursor.split(".")[0]}.999999`],
  ["that is malformed", () => "'; --"],
])("sends a resync for an id %s, and continues from there", async (_, lastEventId) => {
  const { broadcast, port } = await serve({ keep: 5 });
  for (const n of upTo(20)) broadcast.publish("event", { n });
  const reader = await read(port, lastEventId(broadcast));
  broadcast.publish("event", { n: 21 });
  await reader.until((received) => received.length >= 2);
  expect(reader.received.map(({ type, data }) => [type, data.n])).toEqual([
    ["resync", undefined],
    ["event", 21],
  ]);
  expect(reader.received[0]?.id).toBe(`${broadcast.cursor.split(".")[0]}.20`);
});
