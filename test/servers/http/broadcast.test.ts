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
  const broadcast = openBroadcast({ gather: 1, ...options });
  const server: Server = createServer((request, response) => {
    if (request.method === "GET")
      broadcast.join(response, request.headers["last-event-id"] as string | undefined);
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
  readonly said: { id: string; type: string; data: { n?: number } }[];
  leave(): void;
  until(done: (said: Reader["said"]) => boolean): Promise<void>;
}

function read(port: number, after?: string): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const headers = after === undefined ? {} : { "last-event-id": after };
    const asked = get({ host: "127.0.0.1", port, headers }, (response: IncomingMessage) => {
      const said: Reader["said"] = [];
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
            said.push({
              id: fields.id ?? "",
              type: fields.event ?? "",
              data: JSON.parse(fields.data),
            });
        }
      });
      response.on("error", () => undefined);
      resolve({
        said,
        leave: () => asked.destroy(),
        until: async (done) => {
          await until(() => done(said), "the messages", { interval: 2 });
        },
      });
    });
    asked.on("error", reject);
    ends.push(() => asked.destroy());
  });
}

const numbers = ({ said }: Reader) => said.map(({ data }) => data.n);
const upTo = (last: number, from = 1) =>
  Array.from({ length: last - from + 1 }, (_, i) => from + i);

test("who stays hears every message once, in order", async () => {
  const { broadcast, port } = await serve();
  const reader = await read(port);
  for (const n of upTo(500)) broadcast.say("event", { n });
  await reader.until((said) => said.length >= 500);
  expect(numbers(reader)).toEqual(upTo(500));
});

test("what a person did to a task is on its way to everybody before it is answered", async () => {
  const { broadcast, port, server } = await serve({ gather: 60_000 });
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
      void found.route.handle({ request, response, url, params: {}, visitor: "program" });
  });
  const reader = await read(port);
  const op = { op: "add", tasks: [{ subject: "Paint" }] };
  const body = JSON.stringify({ op, key: "once" });
  const headers = { "content-type": "application/json" };
  const { status } = await fetch(url, { method: "POST", headers, body });
  expect(status).toBe(200);
  await reader.until(({ length }) => length > 0);
  expect(reader.said).toMatchObject([{ type: "tasks", data: { tasks: [{ subject: "Paint" }] } }]);
});

test("W7 who comes back hears what was said meanwhile, nothing twice", async () => {
  const { broadcast, port } = await serve();
  const first = await read(port);
  for (const n of upTo(10)) broadcast.say("event", { n });
  await first.until((said) => said.length >= 10);
  first.leave();
  for (const n of upTo(20, 11)) broadcast.say("event", { n });
  const second = await read(port, first.said.at(-1)?.id);
  for (const n of upTo(30, 21)) broadcast.say("event", { n });
  await second.until((said) => said.length >= 20);
  expect([...numbers(first), ...numbers(second)]).toEqual(upTo(30));
});

const RETURNS = FULL ? 10_000 : 150;

test(`W7 ${RETURNS} times away and back: nothing is left out, nothing comes twice`, async () => {
  const { broadcast, port } = await serve();
  const heard: (number | undefined)[] = [];
  let last: string | undefined;
  let said = 0;
  const say = (count: number) => {
    for (let n = 0; n < count; n++) broadcast.say("event", { n: ++said });
  };
  for (let turn = 0; turn < RETURNS; turn++) {
    say(turn % 4);
    const reader = await read(port, last ?? broadcast.position.replace(/\d+$/, "0"));
    say(turn % 3);
    // Sometimes it goes before it has heard everything.
    const wanted = turn % 5 === 0 ? 0 : said - heard.length;
    await reader.until(({ length }) => length >= wanted);
    reader.leave();
    heard.push(...numbers(reader));
    last = reader.said.at(-1)?.id ?? last;
  }
  const rest = await read(port, last);
  await rest.until(({ length }) => heard.length + length >= said);
  expect([...heard, ...numbers(rest)]).toEqual(upTo(said));
}, 120_000);

test("W12 whatever breaks a line, a message stays one message with its own fields", async () => {
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
  for (const text of texts) broadcast.say("event", { [text]: text, text });
  broadcast.say("event", { n: texts.length });
  await reader.until((said) => said.at(-1)?.data.n === texts.length);
  const era = broadcast.position.split(".")[0];
  expect(reader.said).toEqual([
    ...texts.map((text, place) => ({
      id: `${era}.${place + 1}`,
      type: "event",
      data: { [text]: text, text },
    })),
    { id: `${era}.${texts.length + 1}`, type: "event", data: { n: texts.length } },
  ]);
});

test.each([
  ["comes from before a restart", () => "00000000.3"],
  ["was away for too long", (b: Broadcast) => `${b.position.split(".")[0]}.1`],
  ["names a message that was never said", (b: Broadcast) => `${b.position.split(".")[0]}.999999`],
  ["sends nonsense", () => "'; --"],
])("who %s is told to read everything anew, and goes on from there", async (_, place) => {
  const { broadcast, port } = await serve({ keep: 5 });
  for (const n of upTo(20)) broadcast.say("event", { n });
  const reader = await read(port, place(broadcast));
  broadcast.say("event", { n: 21 });
  await reader.until((said) => said.length >= 2);
  expect(reader.said.map(({ type, data }) => [type, data.n])).toEqual([
    ["anew", undefined],
    ["event", 21],
  ]);
  expect(reader.said[0]?.id).toBe(`${broadcast.position.split(".")[0]}.20`);
});
