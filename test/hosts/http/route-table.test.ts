import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openHome } from "../../../src/cli/open.ts";
import { openServing, type Serving } from "../../../src/cli/serving.ts";
import { openTerminal } from "../../../src/cli/terminal.ts";
import { openAccess } from "../../../src/hosts/http/access.ts";
import { type Machine, newMachine } from "../../cli/machine.ts";

let machine: Machine;
let serving: Serving;
let close: () => Promise<void>;
beforeAll(async () => {
  machine = newMachine();
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const terminal = openTerminal(env);
  const home = openHome(env, terminal.say);
  const page = join(process.cwd(), "dist", "web");
  serving = await openServing({ home, env, terminal }, { port: 0, page, version: "0" });
  close = async () => {
    await serving.close();
    await home.close();
    machine.remove();
  };
});
afterAll(() => close());

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The status, or that the connection was ended. */
function ask(method: string, path: string, headers: Headers): Promise<number> {
  return new Promise((resolve) => {
    const { hostname: host, port } = new URL(serving.url);
    const asked = request({ host, port, method, path, headers: headers as never }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asked.on("error", () => resolve(0));
    asked.end();
  });
}

test("W1 W2 every route of the real table refuses whoever is not let in, and lets in who is", async () => {
  const { port, host: ours } = new URL(serving.url);
  const { cookie, cookieName } = openAccess(serving.token);
  const token = { authorization: `Bearer ${serving.token}` };
  const page = { cookie: `${cookieName}=${cookie}` };
  const fromPage = { ...page, "sec-fetch-site": "same-origin" };
  const strangers: Readonly<Record<string, Headers>> = {
    nobody: {},
    "a wrong token": { authorization: "Bearer nonsense" },
    "an empty token": { authorization: "Bearer " },
    "another scheme": { authorization: `Basic ${serving.token}` },
    "a cookie without where it comes from": page,
    "a page of another site": { ...page, "sec-fetch-site": "cross-site" },
    "a page of another port": { ...page, "sec-fetch-site": "same-site" },
    "another origin": { ...token, origin: "http://evil.test" },
    "another port of this machine": { ...token, origin: `http://127.0.0.1:${Number(port) - 1}` },
    "no origin worth the name": { ...token, origin: "null" },
    "an origin that begins like ours": { ...token, origin: `http://${ours}.evil.test` },
    "a rebound host": { ...token, host: `evil.test:${port}` },
    "a host that begins like ours": { ...token, host: `127.0.0.1.evil.test:${port}` },
    "a host without port": { ...token, host: "127.0.0.1" },
    "a host in another spelling": { ...token, host: `0x7f.0.0.1:${port}` },
    "every interface": { ...token, host: `0.0.0.0:${port}` },
    "two cookies of ours": {
      cookie: `${cookieName}=x; ${cookieName}=${cookie}`,
      "sec-fetch-site": "same-origin",
    },
  };
  expect(serving.routes.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "DELETE /mcp",
    "GET /",
    "GET /api/events",
    "GET /api/tasks",
    "GET /api/tasks/:id",
    "GET /api/tracks",
    "GET /api/tracks/:id",
    "GET /app.css",
    "GET /app.js",
    "GET /favicon-you.svg",
    "GET /favicon.svg",
    "GET /mcp",
    "GET /tasks",
    "GET /tasks/:id",
    "GET /track/:id",
    "POST /api/codes",
    "POST /api/tasks",
    "POST /api/tracks/:id/ops",
    "POST /api/tracks/:id/plan",
    "POST /mcp",
  ]);
  for (const { method, path } of serving.routes) {
    const at = path.replace(":id", "s~main");
    for (const [who, headers] of Object.entries(strangers)) {
      const status = await ask(method, at, headers);
      expect({
        route: `${method} ${at}`,
        who,
        refused: [400, 401, 403].includes(status),
        status,
      }).toMatchObject({ refused: true });
    }
    for (const headers of [token, fromPage]) {
      const status = await ask(method, at, headers);
      expect([0, 401, 403]).not.toContain(status);
    }
  }
});

test("every answer forbids what is not ours to run", async () => {
  const token = { authorization: `Bearer ${serving.token}` };
  for (const path of ["", "app.js", "api/tracks", "nothing"]) {
    const { headers } = await fetch(`${serving.url}${path}`, { headers: token });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("access-control-allow-origin")).toBeNull();
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
});
