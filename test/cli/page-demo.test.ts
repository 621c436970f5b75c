import { expect, onTestFinished, test } from "vitest";
import { openTerminal } from "../../src/cli/io/terminal.ts";
import { newToken } from "../../src/home/server.ts";
import { openAccess } from "../../src/servers/http/access/access.ts";
import { openBroadcast } from "../../src/servers/http/broadcast.ts";
import { openPageDemo } from "../../src/servers/http/page-demo.ts";
import { serveHttp } from "../../src/servers/http/server.ts";
import { until } from "../until.ts";

/** A server with only the routes of the demo. */
async function serveDemo({ isOffered = true, checkEvery = 60_000 } = {}) {
  const broadcast = openBroadcast();
  const printed: string[] = [];
  const terminal = { ...openTerminal({}), printError: (line: string) => void printed.push(line) };
  const demo = openPageDemo({ env: {}, terminal }, { broadcast, isOffered, checkEvery });
  const access = openAccess(newToken());
  const onFault = (message: string) => void printed.push(message);
  const server = await serveHttp({ routes: demo.routes, access, port: 0, onFault });
  onTestFinished(async () => {
    await demo.close();
    await server.close();
    broadcast.close();
    expect(printed).toEqual([]);
  });
  const ask = async (method: "POST" | "DELETE") => {
    const headers = { authorization: `Bearer ${access.token}` };
    return (await fetch(new URL("/api/demo", server.url), { method, headers })).status;
  };
  return { demo, broadcast, ask };
}

test("starts one demo for several requests, and makes pages resync", async () => {
  const { demo, broadcast, ask } = await serveDemo();
  const before = broadcast.cursor;
  expect(await Promise.all([ask("POST"), ask("POST")])).toEqual([200, 200]);
  const { source } = demo;
  expect(source).toBeDefined();
  expect(broadcast.cursor).not.toBe(before);
  expect(await ask("POST")).toBe(200);
  expect(demo.source).toBe(source);
  expect(await ask("DELETE")).toBe(200);
  expect(demo.source).toBeUndefined();
  expect(await ask("DELETE")).toBe(200);
});

test("ends when the last page is closed", async () => {
  const { demo, ask } = await serveDemo({ checkEvery: 50 });
  expect(await ask("POST")).toBe(200);
  await until(() => demo.source === undefined, "the demo ends");
});

test("is not offered by a server without other sessions", async () => {
  const { demo, ask } = await serveDemo({ isOffered: false });
  expect([await ask("POST"), await ask("DELETE")]).toEqual([409, 409]);
  expect(demo.source).toBeUndefined();
});
