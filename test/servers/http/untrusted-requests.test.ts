import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newToken } from "../../../src/home/server.ts";
import { newMachine, PROGRAM } from "../../cli/machine.ts";
import { start } from "../../cli/running.ts";
import { chanceFrom } from "../../faults/power-cut.ts";
import { FULL } from "../../full.ts";
import { needs, ONLY_ON_LINUX } from "../../skipped.ts";
import { type Key, pageHeadersBy, pageToken, signInBy } from "./sign-in.ts";
import { rawRequest, sendRaw, startTestServer } from "./test-server.ts";

const served = startTestServer();
const TRACK = { session: "strangers", agent: "main" };
const AT = "/api/tracks/strangers~main";

type Headers = Record<string, string>;

/** A combination of all request headers that tell where a request comes from. */
interface UntrustedRequest {
  readonly host: string;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly key: string;
  readonly type: string;
  readonly ask: "read" | "listen" | "write";
}

function strangers(port: number): readonly UntrustedRequest[] {
  const every = <T, U>(some: readonly T[], others: readonly U[]) =>
    some.flatMap((one) => others.map((other) => [one, other] as const));
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`, `evil.test:${port}`, "127.0.0.1"];
  const origins = [
    undefined,
    `http://127.0.0.1:${port}`,
    `http://127.0.0.1:${port + 1}`,
    "http://evil.test",
    "null",
    "file://",
    "chrome-extension://abcdefgh",
  ];
  const sites = [undefined, "same-origin", "same-site", "cross-site", "none"];
  const modes = [undefined, "cors", "no-cors", "navigate"];
  const keys = ["none", "token", "wrong token", "basic token", "page", "wrong page", "cookie"];
  const asks = [
    ["read", "application/json"],
    ["listen", "application/json"],
    ["write", "application/json"],
    ["write", "text/plain"],
    ["write", "application/x-www-form-urlencoded"],
  ] as const;
  return every(every(hosts, origins), every(every(sites, modes), every(keys, asks))).map(
    ([[host, origin], [[site, mode], [key, [ask, type]]]]) => ({
      host,
      origin,
      site,
      mode,
      key,
      type,
      ask,
    }),
  );
}

/** Written independently of the guard's code. */
function isWelcome({ host, origin, key }: UntrustedRequest, port: number): boolean {
  if (!host.endsWith(`:${port}`) || host.startsWith("evil")) return false;
  if (origin !== undefined && origin !== `http://127.0.0.1:${port}`) return false;
  return key === "token" || key === "page";
}

test("lets pages of other sites read and write nothing", {
  tags: ["cross-site"],
  timeout: 300_000,
}, async () => {
  const { serving, port, home } = served();
  const list = (await home.writing()).list(TRACK);
  await list.submit([{ op: "add", todos: [{ text: "start" }] }]);
  const page = await pageHeadersBy(serving.signInUrl());
  const keys: Readonly<Record<string, Headers>> = {
    none: {},
    token: { authorization: `Bearer ${serving.token}` },
    "wrong token": { authorization: `Bearer ${newToken()}` },
    "basic token": { authorization: `Basic ${serving.token}` },
    page,
    "wrong page": { authorization: page.authorization.replace(/.$/, "x") },
    cookie: { cookie: `waymark=${serving.token}; authorization=${page.authorization}` },
  };
  const ask = (who: UntrustedRequest, n: number) =>
    new Promise<number>((resolve, reject) => {
      const { host, origin, site, mode, key, type, ask } = who;
      const headers = {
        host,
        ...keys[key],
        "content-type": type,
        ...(origin !== undefined && { origin }),
        ...(site !== undefined && { "sec-fetch-site": site }),
        ...(mode !== undefined && { "sec-fetch-mode": mode }),
      };
      const path = { read: AT, listen: "/api/events", write: `${AT}/ops` }[ask];
      const method = ask === "write" ? "POST" : "GET";
      const asked = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      });
      asked.on("error", reject);
      const op = { op: "edit", target: { any: "1" }, set: { text: `written ${n}` } };
      asked.end(ask === "write" ? JSON.stringify({ ops: [op], key: `stranger ${n}` }) : undefined);
    });
  const all = strangers(port);
  expect(all.length).toBeGreaterThan(10_000);
  // A step that is coprime to the group sizes visits every group.
  const some = all.filter((_, n) => FULL || n % 23 === 0);
  const wrong: unknown[] = [];
  let written = 0;
  for (const [n, who] of some.entries()) {
    const status = await ask(who, n);
    const isIn = isWelcome(who, port);
    const isWritten = isIn && who.ask === "write" && who.type === "application/json";
    if (isWritten) written++;
    const expected = isIn ? (who.ask !== "write" || isWritten ? [200] : [415]) : [400, 401, 403];
    if (!expected.includes(status)) wrong.push({ ...who, status });
  }
  expect(wrong).toEqual([]);
  expect(written).toBeGreaterThan(0);
  expect((await list.events()).length).toBe(1 + written);
});

test("listens on loopback only, and other users cannot read the token", {
  tags: ["other-users"],
  ...needs(ONLY_ON_LINUX),
}, () => {
  const { serving, port, machine } = served();
  expect(serving.token).toMatch(/^[\w-]{43}$/);
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const listening = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .flatMap(([, local = "", , state]) =>
        local.endsWith(`:${hex}`) && state === "0A" ? [local] : [],
      ),
  );
  expect(listening).toEqual([`0100007F:${hex}`]);
  const kept = join(machine.home, "serve-token");
  // The file must be unreadable even for users who can enter the directories.
  for (const dir of [machine.root, machine.home]) chmodSync(dir, 0o755);
  expect(readFileSync(kept, "utf8").trim()).toBe(serving.token);
  if (process.getuid?.() === 0) {
    const { status, stderr, error } = spawnSync(
      "setpriv",
      ["--reuid=65534", "--regid=65534", "--clear-groups", "cat", kept],
      { encoding: "utf8" },
    );
    if (!error) expect([status, stderr]).toEqual([1, expect.stringContaining("Permission denied")]);
  }
});

test("refuses a used code from a log or the browser history", {
  tags: ["leaked-token"],
}, async () => {
  const { serving, printed: output } = served();
  const opening = serving.signInUrl();
  expect(opening).not.toContain(serving.token);
  const code = new URL(opening).hash.slice(1);
  const enter = () => signInBy(opening);
  const first = await enter();
  const body = await first.text();
  expect([first.status, first.headers.get("set-cookie")]).toEqual([200, null]);
  const token = await pageToken(serving.url, JSON.parse(body) as Key);
  for (const each of [body, token]) expect(each).not.toContain(serving.token);
  // The page sends the token, never the key.
  expect(token).not.toContain(JSON.parse(body).key);
  expect(await Promise.all([1, 2, 3].map(async () => (await enter()).status))).toEqual([
    410, 410, 410,
  ]);
  expect(output.join("\n")).not.toContain(code);
});

const MAX_READERS = 256;

test("refuses event streams beyond the limit, and keeps the others", {
  tags: ["many-clients"],
}, async () => {
  const { serving, port } = served();
  const listen = rawRequest("GET", "/api/events", [
    ["Host", `127.0.0.1:${port}`],
    ["Authorization", `Bearer ${serving.token}`],
  ]);
  const sockets = await Promise.all(
    Array.from(
      { length: MAX_READERS },
      () =>
        new Promise<ReturnType<typeof connect>>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1", () => socket.write(listen));
          socket.once("data", () => resolve(socket));
          socket.on("error", reject);
        }),
    ),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const one = await sendRaw(port, listen, { headOnly: true });
  expect(one.status).toBe(503);
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
  sockets.pop()?.destroy();
  await expect.poll(async () => (await sendRaw(port, listen, { headOnly: true })).status).toBe(200);
});

test("sends no token to another program on the port", { tags: ["port-taken"] }, async () => {
  const machine = newMachine();
  onTestFinished(() => machine.remove());
  const seen: string[] = [];
  const impostor = createServer((asked, answer) => {
    seen.push(JSON.stringify([asked.method, asked.url, asked.rawHeaders]));
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ proof: newToken(), url: "http://127.0.0.1:1/open#theirs" }));
  });
  await new Promise<void>((resolve) => impostor.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void impostor.close());
  const { port } = impostor.address() as AddressInfo;
  mkdirSync(machine.home, { mode: 0o700 });
  const theirs = { url: `http://127.0.0.1:${port}/`, pid: process.pid };
  writeFileSync(join(machine.home, "serve.json"), JSON.stringify(theirs));
  const env = { HOME: machine.root, WAYMARK_HOME: machine.home };
  const program = start(process.execPath, [PROGRAM, "serve", "--no-open", "--json"], env);
  onTestFinished(() => void program.child.kill("SIGKILL"));
  await program.untilPrinted("\n");
  program.child.kill("SIGINT");
  const { url, token } = JSON.parse(String((await program.finished).stdout)) as {
    url: string;
    token: string;
  };
  // It started its own server.
  expect(new URL(url).port).not.toBe(String(port));
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.join("\n")).not.toContain(token);
});

test("puts no part of a path into headers or the log", { tags: ["header-injection"] }, async () => {
  const { serving, port, printed: output } = served();
  const from = output.length;
  const breaks = ["%0d%0a", "%0a", "%0d", "%e2%80%a8", "%c2%85", "%00", "%1b%5b2J"];
  for (const each of breaks)
    for (const path of [`/${each}x-evil:%20y`, `/api/tracks/a${each}x-evil:%20y`]) {
      const own = [
        ["Host", `127.0.0.1:${port}`],
        ["Authorization", `Bearer ${serving.token}`],
        ["Last-Event-ID", `a.1${decodeURIComponent(each).replace(/[^\t\x20-\x7e]/g, "")}`],
        ["Connection", "close"],
      ] as const;
      const { status, head, body } = await sendRaw(port, rawRequest("GET", path, own));
      expect([status, /^x-evil/im.test(head), body.split("\n").length]).toEqual([404, false, 1]);
      JSON.parse(body);
    }
  expect(output.slice(from)).toEqual([]);
});

test("refuses stale changes of two pages and an agent", {
  tags: ["stale-edit"],
  timeout: 300_000,
}, async () => {
  const { serving, home } = served();
  const list = (await home.writing()).list({ session: "edits", agent: "main" });
  await list.submit([{ op: "add", todos: [{ text: "start" }] }]);
  await expect
    .poll(() => serving.feed.tracks().some(({ track }) => track.session === "edits"))
    .toBe(true);
  const chance = chanceFrom(10);
  let current = "start";
  const seen = ["start", "start"];
  const counts = { taken: 0, refused: 0 };
  for (let n = 0; n < (FULL ? 5_000 : 120); n++) {
    const text = `text ${n}`;
    const set = { op: "edit", target: { any: "1" }, set: { text } } as const;
    const who = chance.below(3);
    if (who === 2) {
      const outcome = await list.submit([set], { by: "agent", via: "tool" });
      // A user edit that the agent has not seen is kept.
      current = (await list.get())[0]?.text ?? "";
      expect([outcome.ok, [text, ...seen].includes(current)]).toEqual([true, true]);
      continue;
    }
    if (chance.below(2) === 0) seen[who] = current;
    const base = { "1": { text: seen[who], status: "pending" } };
    const answer = await fetch(`${serving.url}api/tracks/edits~main/ops`, {
      method: "POST",
      headers: { authorization: `Bearer ${serving.token}`, "content-type": "application/json" },
      body: JSON.stringify({ ops: [set], key: `edit ${n}`, base }),
    });
    const output = (await answer.json()) as { theirs?: { text: string }; yours?: { text: string } };
    if (seen[who] === current) {
      expect([n, answer.status]).toEqual([n, 200]);
      current = text;
      seen[who] = text;
      counts.taken++;
    } else {
      expect([n, answer.status, output.theirs?.text, output.yours?.text]).toEqual([
        n,
        409,
        current,
        seen[who],
      ]);
      counts.refused++;
    }
  }
  expect((await list.get()).map(({ text }) => text)).toEqual([current]);
  expect(counts.taken).toBeGreaterThan(10);
  expect(counts.refused).toBeGreaterThan(10);
});
