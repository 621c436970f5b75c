import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newToken } from "../../../src/home/server.ts";
import { openAccess } from "../../../src/servers/http/access/access.ts";
import {
  authorizeRequest,
  isLoopbackHost,
  isSameOrigin,
} from "../../../src/servers/http/access/guard.ts";
import { pageRoutes } from "../../../src/servers/http/files.ts";
import type { Route } from "../../../src/servers/http/routes.ts";
import { sendJson } from "../../../src/servers/http/routes.ts";
import { type HttpServer, serveHttp } from "../../../src/servers/http/server.ts";
import type { Key } from "./sign-in.ts";

const access = openAccess(newToken());
const reached: string[] = [];
const route = (method: Route["method"], path: string): Route => ({
  method,
  path,
  handle: ({ response, client: visitor }) => {
    reached.push(`${method} ${path} ${visitor}`);
    sendJson(response, 200, { visitor });
  },
});
const ROUTES = [
  route("GET", "/api/tracks"),
  route("GET", "/api/tracks/:id"),
  route("POST", "/api/tracks/:id/ops"),
  route("GET", "/api/events"),
];

let server: HttpServer;
beforeAll(async () => {
  const publicRoutes = pageRoutes(join(process.cwd(), "dist", "web"));
  const onFault = (message: string) => reached.push(message);
  server = await serveHttp({ routes: ROUTES, publicRoutes, access, port: 0, onFault });
});
afterAll(() => server.close());

type Headers = Readonly<Record<string, string | readonly string[]>>;

function ask(
  method: string,
  path: string,
  headers: Headers,
  sent?: string,
): Promise<{ status: number; headers: object; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: server.port,
        method,
        path,
        headers: headers as never,
        setHost: false,
      },
      (response) => {
        let body = "";
        response.on("data", (chunk) => {
          body += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(sent);
  });
}

const host = () => `127.0.0.1:${server.port}`;
const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();

/** The token of a page, computed independently of the page's code. */
function pageTokenOf({ key, until }: Key = access.issueKey(server.port)): string {
  const { era } = access.proveTo(server.port, [], "");
  return `${until}.${hmac(Buffer.from(key, "hex"), `page:${era}`).toString("hex")}`;
}
const pageWith = (token: string) => ({ ...pageHeaders(), authorization: `Bearer ${token}` });

/** Each makes one change to a valid request, which must then be refused. */
const FAULTS: Readonly<Record<string, (headers: Record<string, string>) => Headers>> = {
  "rebinding host": (headers) => ({ ...headers, host: `evil.example:${server.port}` }),
  "host that starts like ours": (headers) => ({
    ...headers,
    host: `127.0.0.1.evil.example:${server.port}`,
  }),
  "host without port": (headers) => ({ ...headers, host: "127.0.0.1" }),
  "host with another port": (headers) => ({ ...headers, host: "127.0.0.1:1" }),
  "no host": ({ host: _, ...headers }) => headers,
  "another origin": (headers) => ({ ...headers, origin: "https://evil.example" }),
  "origin on another port": (headers) => ({ ...headers, origin: "http://127.0.0.1:1" }),
  "null origin": (headers) => ({ ...headers, origin: "null" }),
  "origin that starts like ours": (headers) => ({
    ...headers,
    origin: `http://127.0.0.1:${server.port}.evil.example`,
  }),
  "secure origin": (headers) => ({ ...headers, origin: `https://127.0.0.1:${server.port}` }),
  "wrong token": (headers) => ({ ...headers, authorization: `Bearer ${newToken()}` }),
  "empty token": (headers) => ({ ...headers, authorization: "Bearer " }),
  "token in another scheme": (headers) => ({ ...headers, authorization: `Basic ${access.token}` }),
};

const PAGE_FAULTS: typeof FAULTS = {
  "no token": ({ authorization: _, ...headers }) => headers,
  "token as cookie": ({ authorization, ...headers }) => ({
    ...headers,
    cookie: `waymark=${authorization?.split(" ")[1]}; waymark=${access.token}`,
  }),
  "key instead of token": () => {
    const { key, until } = access.issueKey(server.port);
    return pageWith(`${until}.${key}`);
  },
  "key of another port": () => pageWith(pageTokenOf(access.issueKey(server.port + 1))),
  "key of another server": () =>
    pageWith(pageTokenOf(openAccess(newToken()).issueKey(server.port))),
  "key that expired": () => {
    const until = Date.now() - 1;
    const key = hmac(access.token, `page:${server.port}:${until}`).toString("hex");
    return pageWith(pageTokenOf({ key, until }));
  },
  "key with a longer life": () => {
    const { key, until } = access.issueKey(server.port);
    return pageWith(pageTokenOf({ key, until: until + 1 }));
  },
  "token from before a restart": () => {
    const before = openAccess(access.token);
    const { key, until } = access.issueKey(server.port);
    const { era } = before.proveTo(server.port, [], "");
    return pageWith(`${until}.${hmac(Buffer.from(key, "hex"), `page:${era}`).toString("hex")}`);
  },
  "proof of the server": () => {
    const { until } = access.issueKey(server.port);
    return pageWith(`${until}.${access.proveTo(server.port, [until], "page").proofs[0]}`);
  },
};

const pageHeaders = () => ({
  host: host(),
  authorization: `Bearer ${pageTokenOf()}`,
  origin: `http://${host()}`,
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "cors",
});
const programHeaders = () => ({ host: host(), authorization: `Bearer ${access.token}` });
const pathOf = ({ path }: Route) => path.replace(":id", "some%2Fid");

describe.each(ROUTES)("$method $path", (each) => {
  test("accepts a signed-in page and a program with the token", async () => {
    const page = await ask(each.method, pathOf(each), pageHeaders());
    const program = await ask(each.method, pathOf(each), programHeaders());
    expect([page.status, page.body]).toEqual([200, '{"visitor":"page"}']);
    expect([program.status, program.body]).toEqual([200, '{"visitor":"program"}']);
  });

  test.each([
    ...Object.entries(FAULTS).flatMap(([name, alter]) => [
      [`page: ${name}`, () => alter(pageHeaders())] as const,
      [`program: ${name}`, () => alter(programHeaders())] as const,
    ]),
    ...Object.entries(PAGE_FAULTS).map(
      ([name, alter]) => [`page: ${name}`, () => alter(pageHeaders())] as const,
    ),
  ])("refuses %s", async (_, headers) => {
    const before = reached.length;
    const { status, headers: answered, body } = await ask(each.method, pathOf(each), headers());
    expect([400, 401, 403]).toContain(status);
    expect(reached.length).toBe(before);
    expect(body).not.toContain(access.token);
    expect(answered).not.toHaveProperty("access-control-allow-origin");
  });
});

test("refuses a preflight of another site, without CORS headers", {
  tags: ["cross-site"],
}, async () => {
  const { status, headers } = await ask("OPTIONS", "/api/tracks/a/ops", {
    host: host(),
    origin: "https://evil.example",
    "access-control-request-method": "POST",
  });
  expect(status).toBe(403);
  expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("serves the same page without data to every browser", async () => {
  const typed = { host: host(), "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };
  const file = readFileSync("dist/web/index.html", "utf8");
  for (const path of ["/", "/track/secret~main", "/tasks", "/tasks/t1"]) {
    const { status, body, headers } = await ask("GET", path, typed);
    expect({ path, status, body }).toEqual({ path, status: 200, body: file });
    expect(headers).not.toHaveProperty("set-cookie");
  }
});

const codeOf = (opening: string) => new URL(opening).hash.slice(1);
const handOver = (code: unknown, headers: Headers = {}) =>
  ask(
    "POST",
    "/open",
    {
      host: host(),
      origin: `http://${host()}`,
      "content-type": "application/json",
      ...headers,
    },
    JSON.stringify({ code }),
  );

test("exchanges a code once for a key that is never sent again", {
  tags: ["leaked-token"],
}, async () => {
  const opening = server.signInUrl();
  // In the fragment, which browsers do not send.
  expect(new URL(opening)).toMatchObject({ pathname: "/open", search: "" });
  const page = await ask("GET", "/open", { host: host() });
  expect(page.body).toContain('<script src="/sign-in.js" defer></script>');
  expect((await ask("GET", "/sign-in.js", { host: host() })).body).toContain("location.hash");
  const [first, second] = [await handOver(codeOf(opening)), await handOver(codeOf(opening))];
  expect([first.status, first.headers]).toMatchObject([200, { "cache-control": "no-store" }]);
  const { key, until } = JSON.parse(first.body);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(until - Date.now()).toBeGreaterThan(29 * 24 * 60 * 60_000);
  expect(until - Date.now()).toBeLessThanOrEqual(30 * 24 * 60 * 60_000);
  const token = pageTokenOf({ key, until });
  expect((await ask("GET", "/api/tracks", pageWith(token))).status).toBe(200);
  expect(token).not.toContain(key);
  expect([second.status, JSON.parse(second.body)]).toMatchObject([410, { code: "link_used" }]);
  for (const { headers } of [first, second]) expect(headers).not.toHaveProperty("set-cookie");
});

test("refuses codes from other origins and hosts, and expired ones", {
  tags: ["leaked-token"],
}, async () => {
  const code = codeOf(server.signInUrl());
  const evil = "evil.example";
  const refused = [
    await handOver(code, { host: `${evil}:${server.port}` }),
    await handOver(code, { origin: `http://${evil}` }),
    await handOver(code, { origin: "null" }),
    await ask("POST", "/open", { host: host() }, JSON.stringify({ code })),
    await handOver([code]),
    await handOver(undefined),
  ];
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 401, 401, 401]);
  expect((await handOver(code)).status).toBe(200);
  let now = 0;
  const aged = openAccess("t", () => now);
  const old = aged.newCode();
  now = 60_001;
  expect([aged.redeem(old, now), aged.redeem(old, now)]).toEqual(["expired", "expired"]);
});

test("expires the oldest of many codes", { tags: ["leaked-token"] }, () => {
  const entry = openAccess("t", () => 0);
  const codes = Array.from({ length: 40 }, () => entry.newCode());
  const opened = codes.map((code) => entry.redeem(code, 0));
  expect(opened).toEqual([...Array(24).fill("expired"), ...Array(16).fill("ok")]);
  expect(codes.some((code) => entry.redeem(code, 0) === "ok")).toBe(false);
});

test("refuses codes that it never issued, also after many others were used", () => {
  const entry = openAccess("t", () => 0);
  for (let made = 0; made < 1_000; made++) entry.redeem(entry.newCode(), 0);
  expect(entry.redeem("made-up", 0)).toBe("unknown");
});

test("proves to a page that it issued its key, for this port and this start only", async () => {
  const { key, until } = access.issueKey(server.port);
  const challenge = newToken();
  const session = async (query: string) => {
    const { status, body } = await ask("GET", `/session?${query}`, { host: host() });
    return { status, ...JSON.parse(body) } as { status: number; era: string; proofs: string[] };
  };
  const { era, proofs } = await session(`until=1&until=${until}&challenge=${challenge}`);
  const expected = hmac(Buffer.from(key, "hex"), `server:${era}:${challenge}`).toString("hex");
  expect(proofs[1]).toBe(expected);
  const others = [
    ...proofs.slice(0, 1),
    ...(await session(`until=${until}&challenge=${newToken()}`)).proofs,
    ...(await session(`until=${until + 1}&challenge=${challenge}`)).proofs,
    ...access.proveTo(server.port + 1, [until], challenge).proofs,
    ...openAccess(access.token).proveTo(server.port, [until], challenge).proofs,
  ];
  expect(others).toHaveLength(5);
  expect(others).not.toContain(expected);
  expect((await session(`challenge=${challenge}${"&until=1".repeat(99)}`)).proofs).toHaveLength(8);
  for (const query of [`until=${until}`, `until=${until}&challenge=short`])
    expect({ query, ...(await session(query)) }).toMatchObject({ query, status: 401 });
});

test("answers browsers with a page and programs with JSON, without details, if the token is missing", async () => {
  const outgoing = { host: host(), "sec-fetch-mode": "navigate" };
  for (const path of ["/api/tracks", "/api/tracks/secret~main", "/nothing"]) {
    const page = await ask("GET", path, outgoing);
    expect([path, page.status, page.headers]).toMatchObject([
      path,
      401,
      { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    ]);
    expect(page.body).toContain('<link rel="stylesheet" href="/sign-in.css">');
    expect(page.body).toContain('href="/">Go to the board</a>');
    expect(page.body).not.toMatch(/secret|nothing|api\/tracks|https?:\/\//);
    const data = await ask("GET", path, { host: host() });
    expect([data.status, JSON.parse(data.body)]).toMatchObject([401, { code: "no_access" }]);
  }
  // Browsers without Sec-Fetch-Mode accept HTML.
  const accepts = { host: host(), accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  expect((await ask("GET", "/nothing", accepts)).body).toContain("<h1>Not found</h1>");
});

test("serves the files of the page without a token, to loopback hosts and GET only", async () => {
  const outgoing = async (method: string, headers: Headers) =>
    (await ask(method, "/sign-in.css", headers)).status;
  expect(await outgoing("GET", { host: host() })).toBe(200);
  expect(await outgoing("GET", { host: `evil.example:${server.port}` })).toBe(403);
  expect(await outgoing("GET", { host: host(), origin: "https://evil.example" })).toBe(403);
  expect(await outgoing("POST", { host: host(), origin: `http://${host()}` })).toBe(401);
});

test("accepts a host without a port on port 80 only", () => {
  const authorized = (port: number, host: string, origin: string) => {
    const headers = { host, origin, authorization: `Bearer ${access.token}` };
    const outgoing = { method: "POST", headers, hasDuplicates: false };
    const sameOrigin = isLoopbackHost(host, port) && isSameOrigin(outgoing, port);
    return [authorizeRequest(outgoing, { port, access }).ok, sameOrigin];
  };
  for (const name of ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
    expect({ name, authorized: authorized(80, name, `http://${name.toLowerCase()}`) }).toEqual({
      name,
      authorized: [true, true],
    });
  expect(authorized(80, "127.0.0.1:80", "http://127.0.0.1:80")).toEqual([true, true]);
  const others: readonly [port: number, host: string, origin: string][] = [
    [80, "evil.example", "http://127.0.0.1"],
    [80, "127.0.0.1.evil.example", "http://127.0.0.1"],
    [80, "127.0.0.1:8080", "http://127.0.0.1"],
    [80, "127.0.0.1", "http://evil.example"],
    [80, "127.0.0.1", "https://127.0.0.1"],
    [80, "127.0.0.1", "http://127.0.0.1:8080"],
    [443, "127.0.0.1", "http://127.0.0.1"],
    [8080, "127.0.0.1", "http://127.0.0.1"],
  ];
  for (const other of others)
    expect({ other, authorized: authorized(...other) }).toEqual({
      other,
      authorized: [false, false],
    });
});

test("distinguishes unknown paths and methods for authorized requests only", async () => {
  expect((await ask("GET", "/nothing", programHeaders())).status).toBe(404);
  expect(await ask("DELETE", "/api/tracks", programHeaders())).toMatchObject({
    status: 405,
    headers: { allow: "GET" },
  });
  expect((await ask("GET", "/nothing", { host: host() })).status).toBe(401);
});

test("refuses duplicate Host, Origin and Authorization headers", async () => {
  const { status } = await ask("GET", "/api/tracks", {
    ...pageHeaders(),
    origin: [`http://${host()}`, `http://${host()}`],
  });
  expect(status).toBe(400);
});

test("sends headers against inline code, framing and type sniffing with every response", async () => {
  const { headers } = await ask("GET", "/api/tracks", programHeaders());
  expect(headers).toMatchObject({
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self'/,
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  expect(JSON.stringify(headers)).not.toContain("unsafe");
});
