import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bundleWorker, removeBundle, startWorker } from "../../concurrency/processes.ts";
import { FULL } from "../../full.ts";
import type { LoudOrders, LoudReport } from "./loud.ts";

interface Address {
  readonly port: number;
  readonly token: string;
}

interface Reader {
  /** How many came, as long as each was the one after the one before it. */
  heard: number;
  /** What came instead of what should have. */
  fault: string | undefined;
}

const NUMBER = /"n":(\d+)/;

/** Only looks at what it must: a hundred of these share a process. */
function reader({ port, token }: Address): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const state: Reader = { heard: 0, fault: undefined };
    const headers = { authorization: `Bearer ${token}` };
    const asked = get(
      { host: "127.0.0.1", port, path: "/api/events", headers },
      (response: IncomingMessage) => {
        let rest = "";
        response.setEncoding("latin1");
        response.on("data", (chunk: string) => {
          const frames = (rest + chunk).split("\n\n");
          rest = frames.pop() ?? "";
          for (const frame of frames) {
            if (!frame.includes("event: event")) continue;
            const n = Number(NUMBER.exec(frame)?.[1]);
            if (n !== state.heard + 1) state.fault ??= `${n} after ${state.heard}`;
            state.heard = n;
          }
        });
        response.on("close", () => {
          state.fault ??= `let go after ${state.heard}`;
        });
        response.on("error", () => undefined);
        resolve(state);
      },
    );
    asked.on("error", reject);
    onTestFinished(() => void asked.destroy());
  });
}

function deaf({ port, token }: Address): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      socket.pause();
      resolve();
    });
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
  });
}

const MB = 1024 * 1024;

test("W7 a thousand messages a second reach who reads, and who does not read costs no memory", async () => {
  const readers = FULL ? 150 : 15;
  const silent = FULL ? 50 : 5;
  // Enough of them that what the kernel keeps for who does not read is full.
  const orders: LoudOrders = FULL ? { seconds: 60, bytes: 400 } : { seconds: 5, bytes: 4_000 };
  const script = await bundleWorker("test/servers/http/loud.ts");
  const server = startWorker(script, orders);
  onTestFinished(() => {
    server.kill();
    removeBundle(script);
  });
  await server.ready;
  const ask = async <T>(line: string) => JSON.parse(await server.ask(line)) as T;
  const address = await ask<Address>("where");
  const heard = await Promise.all(Array.from({ length: readers }, () => reader(address)));
  await Promise.all(Array.from({ length: silent }, () => deaf(address)));
  await expect.poll(() => ask<number>("joined")).toBe(readers + silent);
  const { said } = await ask<{ said: number }>("go");
  await expect
    .poll(() => heard.every((each) => each.heard === said || each.fault), { timeout: 30_000 })
    .toBe(true);
  const report = await ask<LoudReport>("report");
  expect(heard).toEqual(heard.map(() => ({ heard: said, fault: undefined })));
  expect(report).toEqual({
    said: orders.seconds * 1_000,
    dropped: silent,
    listeners: readers,
    growth: expect.any(Number),
  });
  if (FULL) console.log(`grew by ${(report.growth / MB).toFixed(1)} MB`);
  expect(report.growth).toBeLessThan(64 * MB);
}, 240_000);
