import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import {
  type Broadcast,
  type BroadcastOptions,
  openBroadcast,
} from "../../../src/hosts/http/broadcast.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(
  options: BroadcastOptions = {},
): Promise<{ broadcast: Broadcast; port: number }> {
  const broadcast = openBroadcast({ gather: 1, ...options });
  const server: Server = createServer((request, response) =>
    broadcast.join(response, request.headers["last-event-id"] as string | undefined),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    broadcast.close();
    server.closeAllConnections();
    server.close();
  });
  return { broadcast, port: (server.address() as AddressInfo).port };
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
      const waiting = new Set<() => void>();
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
        for (const look of waiting) look();
      });
      response.on("error", () => undefined);
      resolve({
        said,
        leave: () => asked.destroy(),
        until: (done) =>
          new Promise((settle, fail) => {
            const timer = setTimeout(
              () => fail(new Error(`after ${said.length} messages`)),
              30_000,
            );
            const look = () => {
              if (!done(said)) return;
              clearTimeout(timer);
              waiting.delete(look);
              settle();
            };
            waiting.add(look);
            look();
          }),
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
