import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { WaymarkError } from "../../core/error.ts";
import { type Access, proofOf } from "./access.ts";
import { hasDoubled, isFromHere, isOurHost, judgeRequest } from "./guard.ts";
import { letIn, openingUrl } from "./opening.ts";
import { findRoute, HttpError, type Route, sendJson, sendPage } from "./routes.ts";

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  /** An address that lets one browser in. */
  openingUrl(): string;
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly routes: readonly Route[];
  readonly access: Access;
  /** 0 for any that is free. */
  readonly port: number;
  /** Hears of every request that the guard stops. */
  readonly onRefused?: (status: number) => void;
  readonly onFault: (message: string) => void;
}

/** Everything comes from here, nothing runs that is not a file of ours, nobody frames us. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const HEADERS = {
  "content-security-policy": CSP,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

export const PROOF = "/proof";
/** Such as `newToken` makes. */
const CHALLENGE = /^[\w-]{43}$/;
/** Milliseconds that a request may take to arrive. */
const ARRIVAL = 10_000;
/** A path of ours; whatever else can stand there is for proxies. */
const PATH = /^\/(?![/\\])/;

export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const { routes, access, onFault } = options;
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: ARRIVAL,
    requestTimeout: ARRIVAL,
    connectionsCheckingInterval: ARRIVAL / 5,
  };
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error, onFault));
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { method = "GET", headers, url: target = "" } = request;
    const house = { port, access };
    if (!PATH.test(target)) {
      options.onRefused?.(400);
      refuse(request, response, 400, "A request names a path of this server.");
      return;
    }
    const url = new URL(target, `http://127.0.0.1:${port}`);
    // The doors that need no key: one takes a code, once, and hands out the key; one shows that we have it.
    const doubled = hasDoubled(request.rawHeaders);
    const isOpen =
      !doubled && isOurHost(headers.host, port) && isFromHere({ method, headers }, port);
    if (isOpen && (await letIn(request, response, url.pathname, access))) return;
    const challenge = url.searchParams.get("challenge") ?? "";
    if (isOpen && method === "GET" && url.pathname === PROOF && CHALLENGE.test(challenge)) {
      sendJson(response, 200, { proof: proofOf(access.token, challenge, port) });
      return;
    }
    const verdict = judgeRequest({ method, headers, doubled }, house);
    if (!verdict.ok) {
      options.onRefused?.(verdict.status);
      refuse(request, response, verdict.status, verdict.message);
      return;
    }
    const found = findRoute(routes, method, url.pathname);
    if (!found) throw new HttpError(404, "not_found", `There is nothing at ${url.pathname}.`);
    if ("allowed" in found) {
      response.setHeader("allow", found.allowed.join(", "));
      throw new HttpError(405, "not_allowed", `${url.pathname} takes ${found.allowed.join(", ")}.`);
    }
    const { visitor } = verdict;
    await found.route.handle({ request, response, visitor, url, params: found.params });
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: "127.0.0.1" }, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === "EADDRINUSE"
        ? "is used by another program"
        : `cannot be used: ${cause.message}`;
    throw new WaymarkError(
      "port_taken",
      `Port ${options.port} ${why}. Choose another with --port, or --port 0 for any that is free.`,
      { cause },
    );
  });
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    openingUrl: () => openingUrl(port, access),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A person who opened the address gets words, a program gets data. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
): void {
  if (request.headers["sec-fetch-mode"] === "navigate") sendPage(response, status, message);
  else sendJson(response, status, { code: status === 401 ? "no_access" : "refused", message });
}

function fail(response: ServerResponse, error: unknown, onFault: (message: string) => void): void {
  if (error instanceof HttpError && !response.headersSent) {
    const { status, code, message, details } = error;
    sendJson(response, status, { code, message, ...details });
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  onFault(message);
  // A store that is away, a disk that is full: whoever asked can read what to do.
  if (error instanceof WaymarkError && !response.headersSent) {
    sendJson(response, 503, { code: error.code, message });
    return;
  }
  if (response.headersSent) response.destroy();
  else
    sendJson(response, 500, {
      code: "fault",
      message: "The server failed to answer. Its terminal says why.",
    });
}
