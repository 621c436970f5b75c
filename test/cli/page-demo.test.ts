import { expect, onTestFinished, test } from "vitest";
import { openTerminal } from "../../src/cli/io/terminal.ts";
import { newToken } from "../../src/home/server.ts";
import { openAccess } from "../../src/servers/http/access/access.ts";
import { openBroadcast } from "../../src/servers/http/broadcast.ts";
import { openPageDemo } from "../../src/servers/http/page-demo.ts";
import { serveHttp } from "../../src/servers/http/server.ts";
import { until } from "../until.ts";

/** A server with nothing but the routes of the demo. */
async function serveDemo({ isOffered = true, checkEvery = 60_000 } = {}) {
  const broadcast = openBroadcast();
  const said: string[] = [];
  const terminal = { ...openTerminal({}), say: (line: string) => void said.push(line) };
  const demo = openPageDemo({ env: {}, terminal }, { broadcast, isOffered, checkEvery });
  const access = openAccess(newToken());
  const onFault = (message: string) => void said.push(message);
  const server = await serveHttp({ routes: demo.routes, access, port: 0, onFault });
  onTestFinished(async () => {
    await demo.close();
    await server.close();
    broadcast.close();
    expect(said).toEqual([]);
  });
  const ask = async (method: "POST" | "DELETE") => {
    const headers = { authorization: `Bearer ${access.token}` };
    return (await fetch(new URL("/api/demo", server.url), { method, headers })).status;
  };
  return { demo, broadcast, ask };
}

test("starts one demo, however often it is asked for, and tells pages to read again", async () => {
  const { demo, broadcast, ask } = await serveDemo();
  const before = broadcast.position;
  expect(await Promise.all([ask("POST"), ask("POST")])).toEqual([200, 200]);
  const { source } = demo;
  expect(source).toBeDefined();
  expect(broadcast.position).not.toBe(before);
  expect(await ask("POST")).toBe(200);
  expect(demo.source).toBe(source);
  expect(await ask("DELETE")).toBe(200);
  expect(demo.source).toBeUndefined();
  expect(await ask("DELETE")).toBe(200);
});

test("ends when no page is open any more", async () => {
  const { demo, ask } = await serveDemo({ checkEvery: 50 });
  expect(await ask("POST")).toBe(200);
  await until(() => demo.source === undefined, "the demo ends");
});

test("is not offered by a server that shows nothing else", async () => {
  const { demo, ask } = await serveDemo({ isOffered: false });
  expect([await ask("POST"), await ask("DELETE")]).toEqual([409, 409]);
  expect(demo.source).toBeUndefined();
});
