import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { loadOrCreateToken, removeRunning, writeRunning } from "../../../src/home/server.ts";
import { CODE_LIFE, openAccess } from "../../../src/servers/http/access/access.ts";
import { sendMessagePage } from "../../../src/servers/http/access/message-page.ts";
import { findRunning } from "../../../src/servers/http/access/running.ts";
import { handleSignIn } from "../../../src/servers/http/access/sign-in.ts";
import type { HttpError } from "../../../src/servers/http/routes.ts";
import { startTestServer } from "./test-server.ts";

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe("a code that is sent to sign in", () => {
  const access = openAccess("the-token");
  const command = { run: "waymark open" };
  /** The status, and the code of the error if there is one. */
  async function answers() {
    const server: Server = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://127.0.0.1");
      const { port } = server.address() as AddressInfo;
      handleSignIn(request, response, url, { port, access, command }).then(
        (isHandled) => isHandled || response.writeHead(404).end(),
        (error: HttpError) =>
          response.writeHead(error.status).end(`${error.code} ${error.message}`),
      );
    });
    const port = await listening(server);
    return async (body: unknown, method = "POST", path = "/open") => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        ...(method === "POST" && {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
      });
      return [answer.status, (await answer.text()).split(" ")[0]] as const;
    };
  }

  test("works once, for a minute", async () => {
    const send = await answers();
    const code = access.newCode();
    const [status, key] = await send({ code });
    expect([status, key?.includes('"key"')]).toEqual([200, true]);
    expect(await send({ code })).toEqual([410, "link_used"]);
    const late = access.newCode();
    const now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now + CODE_LIFE + 1_000);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await send({ code: late })).toEqual([410, "link_expired"]);
  });

  test.each([[{ code: "x" }], [{ code: 5 }], [{}], [null], ["x"]])(
    "is not accepted as %j",
    async (body) => {
      expect(await (await answers())(body)).toEqual([401, "no_access"]);
    },
  );

  test("is not handled on other paths, and a proof needs a challenge", async () => {
    const send = await answers();
    expect(await send({}, "POST", "/opened")).toEqual([404, ""]);
    expect(await send({}, "GET", "/proof")).toEqual([404, ""]);
    expect(await send({}, "GET", "/proof?challenge=short")).toEqual([404, ""]);
    expect((await send({}, "GET", `/proof?challenge=${"x".repeat(43)}`))[0]).toBe(200);
  });
});

describe("a page with a message", () => {
  async function pageOf(state: "signing-in" | "refused" | "failed", where?: string) {
    const server = createServer((_, response) =>
      sendMessagePage(response, 403, {
        title: "A <title>",
        message: "Run `waymark <x>` or `y`.",
        state,
        command: { run: "waymark open & go", ...(where !== undefined && { where }) },
      }),
    );
    const port = await listening(server);
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect([answer.status, answer.headers.get("content-type")?.split(";")[0]]).toEqual([
      403,
      "text/html",
    ]);
    return answer.text();
  }
  const has = (page: string) => ({
    script: page.includes('<script src="/sign-in.js" defer></script>'),
    noscript: page.includes("<noscript>"),
    ways: page.includes('id="ways"'),
    hidden: page.includes('aria-labelledby="ways-title" hidden>'),
    again: page.includes(">Try again<"),
    board: page.includes(">Go to the board<"),
  });

  test("runs a script only to sign in, and shows the ways in", async () => {
    const [signing, refused, failed] = [
      await pageOf("signing-in"),
      await pageOf("refused"),
      await pageOf("failed"),
    ];
    const none = {
      script: false,
      noscript: false,
      ways: false,
      hidden: false,
      again: false,
      board: false,
    };
    expect(has(signing)).toEqual({
      ...none,
      script: true,
      noscript: true,
      ways: true,
      hidden: true,
    });
    expect(has(refused)).toEqual({ ...none, ways: true, again: true });
    expect(has(failed)).toEqual({ ...none, board: true });
    expect(signing).toContain('data-state="signing-in"');
  });

  test("encodes its texts, and shows code between backticks", async () => {
    const page = await pageOf("refused", "in <b>");
    expect(page).toContain("<title>A &lt;title&gt; · Waymark</title>");
    expect(page).toContain("Run <code>waymark &lt;x&gt;</code> or <code>y</code>.");
    expect(page).toContain("Or, in &lt;b&gt;, run</span> <code>waymark open &amp; go</code>");
    expect(await pageOf("refused")).toContain("<span>Or run</span>");
  });
});

describe("the server of a home", () => {
  const server = startTestServer();
  let home: string;
  let url: string;
  beforeAll(() => {
    home = server().machine.home;
    url = `http://127.0.0.1:${server().port}/`;
  });
  afterAll(() => removeRunning(home, { url, pid: process.pid }));

  test("is found with a one-time link, if it knows our token", async () => {
    const running = { url, pid: process.pid };
    writeRunning(home, running);
    const found = await findRunning(home);
    expect(found).toMatchObject({ ...running, token: loadOrCreateToken(home) });
    expect(found?.signInUrl).toMatch(new RegExp(`^${url}open#[\\w-]+$`));
    expect((await findRunning(home, "/tasks?a=1"))?.signInUrl).toMatch(
      /#[\w-]+\?to=%2Ftasks%3Fa%3D1$/,
    );
  });

  test.each<[string, (path: string) => readonly [number, unknown]]>([
    ["proves nothing", () => [200, { url: "http://127.0.0.1:1/open#x" }]],
    ["fails", () => [500, {}]],
    ["is no server of ours", () => [200, "text"]],
  ])("is not found if another program on its port %s", async (_, answer) => {
    const other = createServer((request, response) => {
      const [status, body] = answer(request.url ?? "");
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    writeRunning(home, { url: `http://127.0.0.1:${await listening(other)}/`, pid: process.pid });
    expect(await findRunning(home)).toBeUndefined();
  });

  test("is not found if it was killed", async () => {
    const gone = createServer();
    gone.listen(0, "127.0.0.1");
    await once(gone, "listening");
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, "close");
    writeRunning(home, { url: `http://127.0.0.1:${port}/`, pid: process.pid });
    expect(await findRunning(home)).toBeUndefined();
  });
});
