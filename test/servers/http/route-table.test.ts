import { request } from "node:http";
import { expect, test } from "vitest";
import { pageHeadersBy } from "./sign-in.ts";
import { rawRequest, sendRaw, startTestServer } from "./test-server.ts";

const served = startTestServer();

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The status, or that the connection was closed. */
function ask(method: string, path: string, headers: Headers): Promise<number> {
  return new Promise((resolve) => {
    const { hostname: host, port } = new URL(served().serving.url);
    const outgoing = request({ host, port, method, path, headers: headers as never }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    outgoing.on("error", () => resolve(0));
    outgoing.end();
  });
}

test("authorizes every route of the real route table", {
  tags: ["dns-rebinding", "cross-site"],
}, async () => {
  const { serving } = served();
  const { port, host: ownHost } = new URL(serving.url);
  const token = { authorization: `Bearer ${serving.token}` };
  const page = await pageHeadersBy(serving.signInUrl());
  const [, bearer = ""] = page.authorization.split(" ");
  const requests: Readonly<Record<string, Headers>> = {
    nobody: {},
    "a wrong token": { authorization: "Bearer nonsense" },
    "an empty token": { authorization: "Bearer " },
    "another scheme": { authorization: `Basic ${serving.token}` },
    "the token as a cookie": {
      cookie: `waymark=${serving.token}`,
      "sec-fetch-site": "same-origin",
    },
    "the page's token as a cookie": {
      cookie: `waymark=${bearer}`,
      "sec-fetch-site": "same-origin",
    },
    "a page's token of another time": { authorization: `Bearer ${bearer.replace(/^\d/, "2")}` },
    "a page's token that was cut off": { authorization: `Bearer ${bearer.slice(0, -1)}` },
    "a page of another site": { ...page, origin: "http://evil.test" },
    "a page of another port": { ...page, origin: `http://127.0.0.1:${Number(port) - 1}` },
    "another origin": { ...token, origin: "http://evil.test" },
    "another port of this machine": { ...token, origin: `http://127.0.0.1:${Number(port) - 1}` },
    "no origin worth the name": { ...token, origin: "null" },
    "an origin that starts like ours": { ...token, origin: `http://${ownHost}.evil.test` },
    "a rebound host": { ...token, host: `evil.test:${port}` },
    "a host that starts like ours": { ...token, host: `127.0.0.1.evil.test:${port}` },
    "a host without port": { ...token, host: "127.0.0.1" },
    "a host in another spelling": { ...token, host: `0x7f.0.0.1:${port}` },
    "every interface": { ...token, host: `0.0.0.0:${port}` },
  };
  expect(serving.routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "DELETE /api/demo",
    "DELETE /api/tracks/:id/verify",
    "DELETE /mcp",
    "GET /api/agents",
    "GET /api/away",
    "GET /api/events",
    "GET /api/report",
    "GET /api/tasks",
    "GET /api/tasks/:id",
    "GET /api/tracks",
    "GET /api/tracks/:id",
    "GET /api/tracks/:id/calls/:call",
    "GET /api/tracks/:id/checks",
    "GET /api/tracks/:id/files",
    "GET /api/tracks/:id/jump",
    "GET /api/tracks/:id/plan",
    "GET /mcp",
    "GET /metrics",
    "POST /api/archive",
    "POST /api/codes",
    "POST /api/demo",
    "POST /api/report/link",
    "POST /api/tasks",
    "POST /api/tasks/queue",
    "POST /api/tracks/:id/accept",
    "POST /api/tracks/:id/checks",
    "POST /api/tracks/:id/jump",
    "POST /api/tracks/:id/mute",
    "POST /api/tracks/:id/ops",
    "POST /api/tracks/:id/plan",
    "POST /api/tracks/:id/promote",
    "POST /api/tracks/:id/verify",
    "POST /mcp",
  ]);
  expect(serving.publicRoutes.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /",
    "GET /track/:id",
    "GET /tasks",
    "GET /tasks/:id",
    "GET /app.js",
    "GET /app.css",
    "GET /favicon.svg",
    "GET /favicon-you.svg",
    "GET /app.webmanifest",
    "GET /icon-192.png",
    "GET /icon-512.png",
    "GET /icon-maskable-512.png",
    "GET /sign-in.css",
    "GET /sign-in.js",
    "GET /report",
  ]);
  for (const { method, path } of serving.routes) {
    const at = path.replace(":id", "s~main");
    for (const [name, headers] of Object.entries(requests)) {
      const status = await ask(method, at, headers);
      expect({
        route: `${method} ${at}`,
        name,
        refused: [400, 401, 403].includes(status),
        status,
      }).toMatchObject({ refused: true });
    }
    for (const headers of [token, page]) {
      const status = await ask(method, at, headers);
      expect([0, 401, 403]).not.toContain(status);
    }
  }
});

const SESSION = `/session?until=${Date.now() + 60_000}&challenge=${"x".repeat(43)}`;

/** Foreign hosts, and loopback hosts in a form that browsers do not send. */
function otherHosts(port: number): readonly string[] {
  const names = [
    "evil.test",
    "localhost.evil.test",
    "127.0.0.1.evil.test",
    "evil.test.localhost",
    "notlocalhost",
    "localhost.",
    "127.0.0.1.",
    "0.0.0.0",
    "0",
    "127.1",
    "127.0.1",
    "127.0.0.2",
    "127.000.000.001",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "[::]",
    "[::2]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::1%25lo]",
    "::1",
    "user@127.0.0.1",
    "127.0.0.1@evil.test",
    "local%68ost",
    "localhost%00",
    "localhost\t",
    "local host",
    "ⓛocalhost",
    "ｌocalhost",
    "*",
    "null",
    "",
  ];
  const ports = [port - 1, port + 1, `0${port}`, `+${port}`, `${port}.0`, `${port} `, "80", ""];
  return [
    ...names.flatMap((name) => [`${name}:${port}`, name]),
    ...["127.0.0.1", "localhost", "[::1]"].flatMap((name) => [
      name,
      `${name}:`,
      ...ports
        .filter((each) => String(each).trim() !== String(port))
        .map((each) => `${name}:${each}`),
      `${name}:${port}:${port}`,
      `${name}:${port}/`,
      `${name}:${port}#`,
      `${name}:${port}@evil.test`,
      `${name}:${port},evil.test`,
      `evil.test,${name}:${port}`,
      `http://${name}:${port}`,
    ]),
  ];
}

test("refuses every route under every other host name", {
  tags: ["dns-rebinding"],
  timeout: 60_000,
}, async () => {
  const { serving, port } = served();
  const token = ["Authorization", `Bearer ${serving.token}`] as const;
  const ownHost = ["Host", `127.0.0.1:${port}`] as const;
  const close = ["Connection", "close"] as const;
  const hosts = otherHosts(port);
  expect(hosts.length).toBeGreaterThan(60);
  const doors = [
    ...serving.routes.map(({ method, path }) => ({ method, path: path.replace(":id", "s~main") })),
    { method: "GET", path: "/open" },
    ...serving.publicRoutes.map(({ method, path }) => ({
      method,
      path: path.replace(":id", "s~main"),
    })),
    { method: "POST", path: "/open" },
    { method: "GET", path: `/proof?challenge=${"x".repeat(43)}` },
    { method: "GET", path: SESSION },
  ];
  const open: string[] = [];
  const ask = async (what: string, bytes: Buffer) => {
    const { status, body } = await sendRaw(port, bytes);
    if (![0, 400, 401, 403].includes(status) || body.includes("proof"))
      open.push(`${what}: ${status}`);
  };
  for (const { method, path } of doors) {
    await Promise.all(
      hosts.map((host) =>
        ask(`${method} ${path} ${host}`, rawRequest(method, path, [["Host", host], token, close])),
      ),
    );
    const own = [ownHost, token, close] as const;
    for (const [what, bytes] of [
      ["two hosts", rawRequest(method, path, [ownHost, ["Host", "evil.test"], token, close])],
      ["ours twice", rawRequest(method, path, [ownHost, ownHost, token, close])],
      ["none", rawRequest(method, path, [token, close])],
      ["another address", rawRequest(method, `http://evil.test${path}`, own)],
      ["our address", rawRequest(method, `http://127.0.0.1:${port}${path}`, own)],
      ["another host before the path", rawRequest(method, `//evil.test${path}`, own)],
    ] as const)
      await ask(`${method} ${path}, ${what}`, bytes);
  }
  expect(open).toEqual([]);
});

const PROMISES = {
  "content-security-policy": expect.stringMatching(
    /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'$/,
  ),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

test("sends headers against framing, caching and foreign scripts with every response", {
  tags: ["html-injection", "framed-page"],
}, async () => {
  const { serving } = served();
  const token = { authorization: `Bearer ${serving.token}` };
  const look = (method: string, path: string, headers: Headers) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const { hostname: host, port } = new URL(serving.url);
      const outgoing = request(
        { host, port, method, path, headers: headers as never },
        (answer) => {
          resolve(answer.headers);
          answer.destroy();
        },
      );
      outgoing.on("error", reject);
      outgoing.end();
    });
  const asks = [
    ...[...serving.publicRoutes, ...serving.routes].map(
      ({ method, path }) => [method, path.replace(":id", "s~main")] as const,
    ),
    ["GET", "/nothing"],
    ["GET", "/open"],
    ["GET", "/open.js"],
    ["POST", "/open"],
    ["GET", `/proof?challenge=${"x".repeat(43)}`],
    ["GET", SESSION],
    ["DELETE", "/api/tracks"],
  ] as const;
  const files = new Set(
    serving.publicRoutes
      .map(({ path }) => path.replace(":id", "s~main"))
      // Needs a ticket, and has data.
      .filter((path) => path !== "/report"),
  );
  for (const [method, path] of asks)
    for (const name of [token, {}] as const) {
      const headers = await look(method, path, name);
      expect({ method, path, headers }).toMatchObject({ headers: PROMISES });
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(JSON.stringify(headers["content-security-policy"])).not.toContain("unsafe");
      // The files of the page hold no data; all other responses must not be cached.
      const isFile = files.has(path);
      if (path !== "/mcp" || name !== token)
        expect({ path, kept: headers["cache-control"] }).toEqual({
          path,
          kept: isFile ? "no-cache" : "no-store",
        });
      expect(headers).not.toHaveProperty("set-cookie");
    }
});
