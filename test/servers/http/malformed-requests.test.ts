import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chanceFrom } from "../../faults/power-cut.ts";
import { FULL } from "../../full.ts";
import { needs, ONLY_AT_FULL_SIZE } from "../../skipped.ts";
import { rawRequest, sendRaw, startTestServer } from "./test-server.ts";

const MB = 1024 * 1024;
const served = startTestServer();

const CLOSE = ["Connection", "close"] as const;
const JSON_TYPE = ["Content-Type", "application/json"] as const;
const own = () => {
  const { serving, port } = served();
  return [
    ["Host", `127.0.0.1:${port}`],
    ["Authorization", `Bearer ${serving.token}`],
  ] as const;
};
const expectAlive = async () =>
  expect(
    (await fetch(`${served().serving.url}api/tracks`, { headers: own().slice(1) as never })).status,
  ).toBe(200);

test("refuses oversized and malformed requests, and keeps serving", {
  tags: ["bad-request"],
  timeout: 60_000,
}, async () => {
  const { port, printed } = served();
  const get = (...more: (readonly [string, string])[]) =>
    rawRequest("GET", "/api/tracks", [...own(), ...more, CLOSE]);
  const post = (headers: (readonly [string, string])[], body = "") =>
    rawRequest("POST", "/api/tasks", [...own(), ...headers], body);
  const many = Array.from({ length: 10_000 }, (_, n) => [`X-${n}`, "x"] as const);
  const cases: Readonly<Record<string, readonly [bytes: string | Buffer, status: number]>> = {
    "ten thousand headers": [get(...many), 431],
    "a header of 20 KB": [get(["X", "x".repeat(20_000)]), 431],
    "a path of 20 KB": [rawRequest("GET", `/${"x".repeat(20_000)}`, own()), 431],
    "two lengths": [post([JSON_TYPE, ["Content-Length", "2"], ["Content-Length", "3"]], "{}"), 400],
    "a length that is none": [post([JSON_TYPE, ["Content-Length", "-1"]]), 400],
    "a length and chunks": [
      post([JSON_TYPE, ["Content-Length", "4"], ["Transfer-Encoding", "chunked"]], "0\r\n\r\n"),
      400,
    ],
    "chunks that are none": [
      post([JSON_TYPE, ["Transfer-Encoding", "chunked"]], "zz\r\n{}\r\n0\r\n\r\n"),
      400,
    ],
    "a chunk of endless length": [
      post([JSON_TYPE, ["Transfer-Encoding", "chunked"]], `${"f".repeat(40)}\r\n`),
      400,
    ],
    "an unknown encoding": [post([JSON_TYPE, ["Transfer-Encoding", "chunkedx"]], "{}"), 400],
    "a line that begins with a blank": [get(["X", "a\r\n b"]), 400],
    "a header without a name": [Buffer.from("GET / HTTP/1.1\r\n: x\r\n\r\n"), 400],
    "a version of the future": [Buffer.from("GET / HTTP/9.9\r\n\r\n"), 400],
    "no version": [Buffer.from("GET /\r\n\r\n"), 403],
    "no request": [Buffer.from("\u0016\u0003\u0001\u0002\u0000\u0001hello", "latin1"), 400],
    "a body that is too large": [
      post([JSON_TYPE, ["Content-Length", String(3 * MB)], CLOSE], " ".repeat(3 * MB)),
      413,
    ],
    "no JSON": [post([JSON_TYPE, ["Content-Length", "1"], CLOSE], "{"), 400],
    "a form": [
      post(
        [["Content-Type", "application/x-www-form-urlencoded"], ["Content-Length", "3"], CLOSE],
        "a=b",
      ),
      415,
    ],
    "the old protocol": [get().toString().replace("HTTP/1.1", "HTTP/1.0"), 200],
    "a tunnel": [rawRequest("CONNECT", "evil.test:443", own()), 0],
    "an address for a proxy": [rawRequest("GET", "http://evil.test/", [...own(), CLOSE]), 400],
    "two strokes": [rawRequest("GET", "//", [...own(), CLOSE]), 400],
    "the other stroke": [rawRequest("GET", "/\\", [...own(), CLOSE]), 400],
    "a star": [rawRequest("OPTIONS", "*", [...own(), CLOSE]), 400],
    "a socket": [
      get(["Upgrade", "websocket"], ["Sec-WebSocket-Version", "13"], ["Sec-WebSocket-Key", "x"]),
      200,
    ],
    "an unknown method": [rawRequest("BREW", "/", own()), 400],
  };
  const found: Record<string, number> = {};
  for (const [name, [bytes]] of Object.entries(cases)) {
    found[name] = (await sendRaw(port, bytes)).status;
    await expectAlive();
  }
  expect(found).toEqual(
    Object.fromEntries(Object.entries(cases).map(([name, [, status]]) => [name, status])),
  );
  // A small file: Node answers a client that has closed its side only while its buffers are not full.
  const hundred = Buffer.concat([
    ...Array.from({ length: 99 }, () => rawRequest("GET", "/sign-in.css", own())),
    rawRequest("GET", "/sign-in.css", [...own(), CLOSE]),
  ]);
  const { head, body } = await sendRaw(port, hundred);
  expect(`${head}${body}`.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
  expect(printed).toEqual([]);
});

test("answers or closes mutated requests, never with an internal error", {
  tags: ["bad-request"],
}, async () => {
  const { port, printed } = served();
  const chance = chanceFrom(8);
  const body = '{"op":{"op":"add","tasks":[]},"key":"k"}';
  const sound = rawRequest(
    "POST",
    "/api/tasks?x=1",
    [...own(), JSON_TYPE, ["Content-Length", String(body.length)], CLOSE],
    body,
  );
  const pieces = ["\r\n", "\n", "\0", ":", " ", "HTTP/1.1", "chunked", "%", "\u00ff", "0", "\t"];
  const faults: string[] = [];
  for (let n = 0; n < (FULL ? 2_000 : 150); n++) {
    const bytes = Buffer.from(sound);
    const at = chance.below(bytes.length);
    const piece = Buffer.from(pieces[chance.below(pieces.length)] ?? "", "latin1");
    const changed =
      chance.below(3) === 0
        ? bytes.subarray(0, at)
        : chance.below(2) === 0
          ? Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)])
          : Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + chance.below(20))]);
    const { status } = await sendRaw(port, changed);
    if (status >= 500) faults.push(`${status}: ${JSON.stringify(changed.toString("latin1"))}`);
  }
  expect(faults).toEqual([]);
  expect(printed).toEqual([]);
  await expectAlive();
});

test("does not buffer an endless body", { tags: ["bad-request"], timeout: 120_000 }, async () => {
  const { port } = served();
  const before = process.memoryUsage().rss;
  const total = (FULL ? 1024 : 24) * MB;
  const part = Buffer.alloc(MB, " ");
  for (const path of ["/api/tasks", "/mcp"]) {
    const socket = connect({ port, host: "127.0.0.1" });
    onTestFinished(() => void socket.destroy());
    const length = ["Content-Length", String(total)] as const;
    socket.write(
      rawRequest("POST", path, [
        ...own(),
        JSON_TYPE,
        length,
        ["Accept", "application/json, text/event-stream"],
      ]),
    );
    let answer = "";
    let isOver = false;
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      isOver = true;
    });
    for (let sent = 0; sent < total && !isOver && answer === ""; sent += part.length)
      if (!socket.write(part))
        await new Promise((resolve) => {
          socket.once("drain", resolve);
          socket.once("data", resolve);
          socket.once("close", resolve);
        });
    await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * MB);
  await expectAlive();
});

test("disconnects clients that do not finish their request", {
  tags: ["bad-request"],
  ...needs(ONLY_AT_FULL_SIZE),
  timeout: 60_000,
}, async () => {
  const { port } = served();
  const began = performance.now();
  const slow = Array.from(
    { length: 200 },
    (_, n) =>
      new Promise<number>((resolve) => {
        const socket = connect(port, "127.0.0.1", () => {
          socket.write(
            n % 2 === 0
              ? "GET / HTTP/1.1\r\n"
              : rawRequest("POST", "/api/tasks", [...own(), JSON_TYPE, ["Content-Length", "100"]]),
          );
          const drip = setInterval(
            () => socket.write(n % 2 === 0 ? `X-${Date.now()}: x\r\n` : " "),
            1_000,
          );
          socket.on("close", () => {
            clearInterval(drip);
            resolve(performance.now() - began);
          });
        });
        socket.on("error", () => undefined);
        socket.resume();
      }),
  );
  await expectAlive();
  expect(Math.max(...(await Promise.all(slow)))).toBeLessThan(20_000);
});

test("replaces old connections without a token, never one with a token", {
  tags: ["connections-without-token"],
}, async () => {
  const { port } = served();
  const open = (bytes: string | Buffer) =>
    new Promise<Socket>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes, () => resolve(socket)));
      socket.on("error", () => resolve(socket));
      socket.resume();
      onTestFinished(() => void socket.destroy());
    });
  const streams = await Promise.all(
    Array.from({ length: 10 }, () => open(rawRequest("GET", "/api/events", own()))),
  );
  await Promise.all(streams.map((each) => once(each, "data")));
  const slow: Socket[] = [];
  while (slow.length < 600)
    slow.push(...(await Promise.all(Array.from({ length: 50 }, () => open("GET / HTTP/1.1\r\n")))));
  await expect.poll(() => slow.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(100);
  await expectAlive();
  expect(streams.filter(({ closed }) => closed)).toEqual([]);
});

test("serves no file outside of the page, whatever the path", {
  tags: ["path-traversal"],
  timeout: 120_000,
}, async () => {
  const { port } = served();
  const files = new Set(
    readdirSync("dist/web").map((name) => readFileSync(join("dist/web", name), "latin1")),
  );
  const chance = chanceFrom(9);
  const dots = [
    "..",
    "%2e%2e",
    ".%2e",
    "%252e%252e",
    "..%00",
    "..;",
    "....",
    "．．",
    "%c0%ae%c0%ae",
  ];
  const strokes = ["/", "\\", "%2f", "%5c", "//", "/./", "%252f", "%c0%af", "∕"];
  const targets = [
    "cli.cjs",
    "package.json",
    "etc/passwd",
    "proc/self/environ",
    "app.js.map",
    "web/app.js",
  ];
  const starts = [
    "/",
    "/app.js/",
    "/track/",
    "/web/",
    "/dist/",
    "/api/tracks/",
    "/tasks/",
    "/static/",
  ];
  const pick = (some: readonly string[]) => some[chance.below(some.length)] ?? "";
  const wrong: string[] = [];
  for (let n = 0; n < (FULL ? 5_000 : 300); n++) {
    const steps = Array.from({ length: 1 + chance.below(8) }, () => pick(dots) + pick(strokes));
    const path = `${pick(starts)}${steps.join("")}${pick(targets)}${pick(["", "%00.css", "?x", "#x"])}`;
    const { status, body } = await sendRaw(port, rawRequest("GET", path, [...own(), CLOSE]));
    const isFine = status === 200 ? files.has(body) : [400, 404].includes(status);
    if (!isFine || /root:|"name": ?"waymark"|PATH=/.test(body)) wrong.push(`${status} ${path}`);
  }
  expect(wrong).toEqual([]);
});
