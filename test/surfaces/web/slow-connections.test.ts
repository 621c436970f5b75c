import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { pagePath } from "../../../src/surfaces/web/connection/api.ts";
import type { Machine } from "../../cli/machine.ts";
import { sized } from "../../full.ts";
import { NOT_ON_WINDOWS, needs } from "../../skipped.ts";
import { stagePerTest } from "./stage.ts";

const on = stagePerTest();
const add = ({ run }: Machine, text: string) => run(["todo", "add", text, "--session", "demo"]);
const TRACK = pagePath({ session: "demo", agent: "main" });

/** Opens connections that never finish the request head; resolves when all were accepted or refused. */
async function openSlow(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  const open = () =>
    new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write("GET / HTTP/1.1\r\nHost: ", () => resolve()),
      );
      socket.on("error", () => resolve());
      socket.resume();
      sockets.push(socket);
    });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  // Fewer at a time than the backlog of a listening socket.
  while (sockets.length < count) await Promise.all(Array.from({ length: 100 }, open));
  return sockets;
}

test("loads and stays live despite slow connections without a token", {
  tags: ["connections-without-token"],
  ...needs(NOT_ON_WINDOWS),
  timeout: 120_000,
}, async () => {
  const stage = await on((machine) => void add(machine, "one"));
  await stage.stop();
  await stage.serve(0, { handles: 200 });
  const port = Number(new URL(stage.url()).port);
  const count = sized(400, 9_000);
  const sockets = await openSlow(port, count);
  const page = await stage.open();
  await page.goto(new URL(TRACK, stage.url()).href);
  await page.locator(".link-state.live").waitFor();
  const lost = page
    .locator(".strip.lost")
    .waitFor()
    .then(
      () => "lost",
      () => "never lost",
    );
  await openSlow(port, count);
  // The server still reaches its store, and the page the server.
  add(stage.machine, "two");
  await page.locator(".list .text").getByText("two").waitFor();
  const second = await page.context().newPage();
  await second.goto(stage.url());
  await second.locator(".link-state.live").waitFor();
  // Earlier connections were replaced by newer ones or timed out.
  await expect
    .poll(() => sockets.filter(({ closed }) => !closed).length, { timeout: 20_000 })
    .toBe(0);
  await page.close();
  expect(await lost).toBe("never lost");
});
