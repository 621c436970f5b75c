import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { bundleWorker, removeBundle, startWorker } from "../../concurrency/processes.ts";
import { FULL } from "../../full.ts";
import type { FloodOptions, FloodReport } from "./flood-server.ts";

interface Address {
  readonly port: number;
  readonly token: string;
}

interface Reader {
  /** The number of the last event; all before it arrived in order. */
  last: number;
  /** The first event that was out of order, or the end of the connection. */
  fault: string | undefined;
}

const NUMBER = /"n":(\d+)/;

/** Parses as little as possible: over a hundred of these share a process. */
function reader({ port, token }: Address): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const state: Reader = { last: 0, fault: undefined };
    const headers = { authorization: `Bearer ${token}` };
    const request = get(
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
            if (n !== state.last + 1) state.fault ??= `${n} after ${state.last}`;
            state.last = n;
          }
        });
        response.on("close", () => {
          state.fault ??= `disconnected after ${state.last}`;
        });
        response.on("error", () => undefined);
        resolve(state);
      },
    );
    request.on("error", reject);
    onTestFinished(() => void request.destroy());
  });
}

function slowReader({ port, token }: Address): Promise<void> {
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

test("delivers a thousand events a second, and disconnects slow consumers", {
  tags: ["many-clients"],
  timeout: 240_000,
}, async () => {
  const readers = FULL ? 150 : 15;
  const slow = FULL ? 50 : 5;
  // Enough bytes to fill the kernel buffers of the clients that do not read.
  const options: FloodOptions = FULL ? { seconds: 60, bytes: 400 } : { seconds: 5, bytes: 4_000 };
  const script = await bundleWorker("test/servers/http/flood-server.ts");
  const server = startWorker(script, options);
  onTestFinished(() => {
    server.kill();
    removeBundle(script);
  });
  await server.ready;
  const ask = async <T>(line: string) => JSON.parse(await server.ask(line)) as T;
  const address = await ask<Address>("address");
  const clients = await Promise.all(Array.from({ length: readers }, () => reader(address)));
  await Promise.all(Array.from({ length: slow }, () => slowReader(address)));
  await expect.poll(() => ask<number>("subscribers")).toBe(readers + slow);
  const { published } = await ask<{ published: number }>("flood");
  await expect
    .poll(() => clients.every((each) => each.last === published || each.fault), { timeout: 30_000 })
    .toBe(true);
  const report = await ask<FloodReport>("report");
  expect(clients).toEqual(clients.map(() => ({ last: published, fault: undefined })));
  expect(report).toEqual({
    published: options.seconds * 1_000,
    dropped: slow,
    subscribers: readers,
    growth: expect.any(Number),
  });
  if (FULL) console.log(`grew by ${(report.growth / MB).toFixed(1)} MB`);
  expect(report.growth).toBeLessThan(64 * MB);
});
