import { afterEach, beforeEach, expect, test } from "vitest";
import { WaymarkError } from "../../../src/core/error.ts";
import { newToken } from "../../../src/home/server.ts";
import { openAccess } from "../../../src/servers/http/access/access.ts";
import { HttpError, type Route, sendJson } from "../../../src/servers/http/routes.ts";
import { type HttpServer, serveHttp } from "../../../src/servers/http/server.ts";

const access = openAccess(newToken());
const faults: string[] = [];

function failing(path: string, error: Error): Route {
  return {
    method: "GET",
    path,
    handle: () => {
      throw error;
    },
  };
}

const ROUTES: readonly Route[] = [
  failing("/refused", new HttpError(409, "taken", "Already claimed.", { owner: "ann" })),
  failing("/away", new WaymarkError("store_unreachable", "The store is unreachable.")),
  failing("/login", new WaymarkError("store_failed", "No store: mysql://me:Zq9@db/team?x=1.")),
  failing("/broken", new Error("password=secret")),
  {
    method: "GET",
    path: "/half",
    handle: ({ response }) => {
      response.writeHead(200, { "content-type": "text/plain" }).write("half of");
      throw new HttpError(409, "taken", "too late to be sent");
    },
  },
  {
    method: "GET",
    path: "/endless",
    handle: ({ response }) => {
      response.writeHead(200, { "content-type": "text/plain" }).write("and so on");
    },
  },
  { method: "GET", path: "/fine", handle: ({ response }) => sendJson(response, 200, { ok: true }) },
];

let server: HttpServer;
beforeEach(async () => {
  faults.length = 0;
  server = await serveHttp({ routes: ROUTES, access, port: 0, onFault: (m) => faults.push(m) });
});
afterEach(() => server.close());

const get = (path: string) =>
  fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${access.token}` } });

test("sends the reason of a refusal, and does not report it as a fault", async () => {
  const answer = await get("/refused");
  expect(answer.status).toBe(409);
  expect(await answer.json()).toEqual({
    code: "taken",
    message: "Already claimed.",
    owner: "ann",
  });
  expect(faults).toEqual([]);
});

test("reports an unreachable store to the client and on the terminal", async () => {
  const answer = await get("/away");
  expect(answer.status).toBe(503);
  expect(await answer.json()).toEqual({
    code: "store_unreachable",
    message: "The store is unreachable.",
  });
  expect(faults).toEqual(["The store is unreachable."]);
});

test("redacts the password of a connection string in a response", {
  tags: ["printed-password"],
}, async () => {
  const answer = await get("/login");
  expect(await answer.json()).toEqual({
    code: "store_failed",
    message: "No store: mysql://me:...@db/team?....",
  });
});

test("reports internal errors on the terminal only", async () => {
  const answer = await get("/broken");
  expect(answer.status).toBe(500);
  const body = await answer.text();
  expect(JSON.parse(body)).toMatchObject({ code: "fault" });
  expect(body).not.toContain("secret");
  expect(faults).toEqual(["password=secret"]);
});

test("closes the connection of an incomplete response and answers the next request", async () => {
  await expect(get("/half").then((answer) => answer.text())).rejects.toThrow();
  expect(faults).toEqual(["too late to be sent"]);
  expect((await get("/fine")).status).toBe(200);
});

test("closes without waiting for open event streams", async () => {
  const answer = await get("/endless");
  await server.close();
  await expect(answer.text()).rejects.toThrow();
});
