import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CODE_LIFE, openAccess, serverProof } from "../../../src/servers/http/access/access.ts";
import { limitConnections } from "../../../src/servers/http/access/connections.ts";
import {
  authorizeRequest,
  hasDuplicateHeader,
  isLoopbackHost,
  isSameOrigin,
} from "../../../src/servers/http/access/guard.ts";
import { pageToken } from "./page-token.ts";

const PORT = 4000;
const DAY = 24 * 60 * 60_000;

describe("authorization", () => {
  const access = openAccess("the-token", () => 0);
  const valid = {
    host: `127.0.0.1:${PORT}`,
    origin: `http://localhost:${PORT}`,
    authorization: "Bearer the-token",
  };
  const answer = (headers: Readonly<Record<string, string | undefined>>, hasDuplicates = false) => {
    const request = { method: "POST", headers: { ...valid, ...headers }, hasDuplicates };
    const result = authorizeRequest(request, { port: PORT, access });
    return result.ok ? result.client : [result.status, result.message.split(".")[0]];
  };

  test("accepts a program with the token, with or without an origin of this server", () => {
    expect(answer({})).toBe("program");
    expect(answer({ origin: undefined })).toBe("program");
    expect(answer({ authorization: "bearer the-token" })).toBe("program");
    for (const host of ["127.0.0.1", "localhost", "LocalHost", "[::1]"])
      expect([host, answer({ host: `${host}:${PORT}` })]).toEqual([host, "program"]);
  });

  test("names the first thing that is wrong", () => {
    expect(answer({ host: "evil.example" }, true)).toEqual([
      400,
      "Duplicate Host, Origin or Authorization header",
    ]);
    const wrong = {
      host: "evil.example",
      origin: "http://evil.example",
      authorization: "Bearer x",
    };
    expect(answer(wrong)).toEqual([403, "Wrong Host header"]);
    expect(answer({ ...wrong, host: valid.host })).toEqual([
      403,
      "Cross-origin requests are not allowed",
    ]);
    expect(answer({ authorization: "Bearer x" })).toEqual([401, "Invalid token"]);
    expect(answer({ authorization: undefined })).toEqual([401, "Missing token"]);
    // Another scheme is a wrong token, not a missing one.
    for (const authorization of ["", "Basic the-token", "Bearer the-token x", "xBearer the-token"])
      expect([authorization, answer({ authorization })]).toEqual([
        authorization,
        [401, "Invalid token"],
      ]);
  });

  test("knows its own hosts and origins, and the default port only", () => {
    expect(isLoopbackHost(undefined, PORT)).toBe(false);
    expect(["127.0.0.1", "127.0.0.1:80"].map((host) => isLoopbackHost(host, 80))).toEqual([
      true,
      true,
    ]);
    expect(isLoopbackHost("127.0.0.1", PORT)).toBe(false);
    const same = (method: string, origin?: string) =>
      isSameOrigin({ method, headers: origin === undefined ? {} : { origin } }, PORT);
    expect([same("GET"), same("POST"), same("HEAD")]).toEqual([true, false, false]);
    for (const name of ["127.0.0.1", "localhost", "[::1]"])
      expect([
        same("GET", `http://${name}:${PORT}`),
        same("POST", `http://${name}:${PORT}`),
      ]).toEqual([true, true]);
    expect([same("GET", "null"), same("GET", `https://localhost:${PORT}`)]).toEqual([false, false]);
  });

  test("finds duplicates of the headers that must be unique, by name only", () => {
    const pair = (one: string, other: string) =>
      hasDuplicateHeader([one, "a", "accept", "b", other, "c"]);
    for (const name of ["host", "origin", "authorization"])
      expect([name, pair(name, name), pair(name.toUpperCase(), name)]).toEqual([name, true, true]);
    expect([pair("accept", "accept"), pair("host", "origin")]).toEqual([false, false]);
    // Values that look like names.
    expect(hasDuplicateHeader(["host", "host", "x-forwarded", "host"])).toBe(false);
    expect(hasDuplicateHeader([])).toBe(false);
  });

  test("never accepts a request with another token, host or origin", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[\w.:[\]-]{0,30}$/));
    fc.assert(
      fc.property(text, fc.constantFrom("host", "origin", "authorization"), (value, name) => {
        const isSame = name === "host" && isLoopbackHost(value, PORT);
        const isKnown = /^bearer the-token$/i.test(value);
        fc.pre(!isSame && !isKnown);
        expect(answer({ [name]: value })).not.toBe("program");
      }),
    );
  });
});

describe("keys of pages", () => {
  const KEY_LIFE = 30 * DAY;

  test("are valid for their port, this start and 30 days", () => {
    let now = 1_000;
    const access = openAccess("the-token", () => now);
    const key = access.issueKey(PORT);
    expect(key.until).toBe(1_000 + KEY_LIFE);
    expect(key.server).toMatch(/^[0-9a-f]{16}$/);
    const { era } = access.proveTo(PORT, [], "");
    const bearer = pageToken(key, era);
    const clients = (other = access) => [
      other.clientOf(bearer, PORT),
      other.clientOf(bearer, PORT + 1),
    ];
    expect(clients()).toEqual(["page", undefined]);
    now = key.until - 1;
    expect(clients()).toEqual(["page", undefined]);
    now = key.until;
    expect(clients()).toEqual([undefined, undefined]);
    expect(clients(openAccess("the-token", () => 1_000))).toEqual([undefined, undefined]);
    expect(clients(openAccess("another", () => 1_000))).toEqual([undefined, undefined]);
  });

  test("name the server by its token, without revealing it", () => {
    const name = (token: string) => openAccess(token, () => 0).issueKey(PORT).server;
    expect(name("the-token")).toBe(name("the-token"));
    expect(name("the-token")).not.toBe(name("another"));
    // Browsers keep their keys by this name: it stays the same in all versions.
    expect(name("the-token")).toBe("9b672c8557d0a8ee");
  });

  test("cannot be extended or invented", () => {
    const access = openAccess("the-token", () => 0);
    const key = access.issueKey(PORT);
    const bearer = pageToken(key, access.proveTo(PORT, [], "").era);
    const [, proof = ""] = bearer.split(".");
    const others = [
      `${key.until + 1}.${proof}`,
      `${key.until}.${"0".repeat(64)}`,
      `${key.until}.${proof.slice(1)}`,
      `${key.until}.`,
      ` ${bearer}`,
      `${bearer} `,
      bearer.toUpperCase(),
      "",
      ".",
    ].filter((other) => other !== bearer);
    for (const other of others)
      expect([other, access.clientOf(other, PORT)]).toEqual([other, undefined]);
  });
});

test("a proof names the port and the challenge, so it cannot be used elsewhere", () => {
  const proofs = [
    serverProof("t", "c", 1),
    serverProof("t", "c", 2),
    serverProof("t", "d", 1),
    serverProof("u", "c", 1),
  ];
  expect(new Set(proofs).size).toBe(4);
  expect(serverProof("t", "c", 1)).toBe(proofs[0]);
});

describe("sign-in codes", () => {
  test("work once, until a minute has passed", () => {
    let now = 0;
    const access = openAccess("t", () => now);
    const [first, second, third] = [access.newCode(), access.newCode(), access.newCode()];
    expect(access.redeem(first, now)).toBe("ok");
    expect(access.redeem(first, now)).toBe("used");
    now = CODE_LIFE;
    expect([access.redeem(second, now), access.redeem(second, now)]).toEqual(["ok", "used"]);
    now = CODE_LIFE + 1;
    expect([access.redeem(third, now), access.redeem(third, now)]).toEqual(["expired", "expired"]);
    expect(access.redeem("never", now)).toBe("unknown");
  });

  test("are kept 16 at a time, and 256 old ones are remembered", () => {
    const access = openAccess("t", () => 0);
    const open = Array.from({ length: 16 }, () => access.newCode());
    access.newCode();
    expect(open.map((code) => access.redeem(code, 0))).toEqual([
      "expired",
      ...Array(15).fill("ok"),
    ]);
    const old = Array.from({ length: 257 }, () => {
      const code = access.newCode();
      access.redeem(code, 0);
      return code;
    });
    expect(old.map((code) => access.redeem(code, 0))).toEqual([
      "unknown",
      ...Array(256).fill("used"),
    ]);
  });
});

describe("connections without a token", () => {
  const MAX = 100;

  /** Two turns of the event loop later, everything that arrived with a connection was read. */
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise((done) => setImmediate(done));
  };
  const open = () => {
    const server = new EventEmitter();
    const connections = limitConnections(server as Server);
    const connect = (count: number) =>
      Array.from({ length: count }, () => {
        const socket = new Socket();
        server.emit("connection", socket);
        return socket;
      });
    return { connections, connect };
  };
  const closed = (sockets: readonly Socket[]) =>
    sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

  test("are closed from the hundred-first on, the least recently used first", async () => {
    const { connections, connect } = open();
    const sockets = connect(MAX);
    await turns(3);
    expect(closed(sockets)).toEqual([]);
    const [first, second] = sockets;
    if (!first || !second) throw new Error("no sockets");
    connections.touch(first);
    const late = connect(1);
    expect([closed(sockets), closed(late)]).toEqual([[1], []]);
    connections.touch(second);
    await turns(3);
    connect(1);
    expect(closed(sockets)).toEqual([1, 2]);
  });

  test("cost nothing once they are idle", async () => {
    const { connect } = open();
    connect(1);
    const isIdle = () => !process.getActiveResourcesInfo().includes("Immediate");
    for (let turn = 0; turn < 100 && !isIdle(); turn++) await turns(1);
    expect(isIdle()).toBe(true);
  });

  test("are not replaced before their first request can be read", async () => {
    const { connect } = open();
    const sockets = connect(MAX);
    const refused = (late: readonly Socket[]) => [closed(sockets), closed(late)];
    expect(refused(connect(3))).toEqual([[], [0, 1, 2]]);
    await turns(1);
    expect(refused(connect(1))).toEqual([[], [0]]);
    await turns(3);
    expect(refused(connect(1))).toEqual([[0], []]);
    expect(refused(connect(1))).toEqual([[0, 1], []]);
  });

  test("no longer count when they sent a token or are closed", async () => {
    const { connections, connect } = open();
    const sockets = connect(MAX);
    await turns(3);
    const [first, last] = [sockets[0], sockets[MAX - 1]];
    if (!first || !last) throw new Error("no sockets");
    connections.trust(first);
    connections.touch(first);
    last.destroy();
    await turns(3);
    connect(2);
    expect(closed(sockets)).toEqual([MAX - 1]);
    connect(1);
    expect(closed(sockets)).toEqual([1, MAX - 1]);
  });
});
