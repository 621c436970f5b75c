/**
 * servers/http: `waymark serve`. Serves the page, its API, server-sent events and MCP over HTTP on
 * loopback, with a key per page and a check of host and origin. Other modules subscribe to the feed;
 * this one sends it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage, WaymarkError } from "../../core/error.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Access } from "./access/access.ts";
import { limitConnections } from "./access/connections.ts";
import { hasDoubled, isFromHere, isOurHost, judgeRequest } from "./access/guard.ts";
import { type MessagePage, type SignInCommand, sendMessagePage } from "./access/message-page.ts";
import { letIn, openingUrl } from "./access/opening.ts";
import { findRoute, HttpError, type Route, sendJson } from "./routes.ts";

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  /** A one-time link that signs one browser in, and leads to an address on this server. */
  openingUrl(to?: string): string;
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly routes: readonly Route[];
  /** The files of the page: they hold no data, and anybody on this machine may read them. */
  readonly publicRoutes?: readonly Route[];
  readonly command?: SignInCommand;
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

/** Milliseconds that the head of a request may take to arrive, and all of it. */
const HEAD_ARRIVAL = 4_000;
const ARRIVAL = 10_000;
/** A path of ours; whatever else can stand there is for proxies. */
const PATH = /^\/(?![/\\])/;

export async function serveHttp(options: HttpOptions): Promise<HttpServer> {
  const {
    routes,
    publicRoutes = [],
    access,
    onFault,
    command = { run: "waymark serve" },
  } = options;
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: HEAD_ARRIVAL,
    requestTimeout: ARRIVAL,
    connectionsCheckingInterval: 1_000,
  };
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const isSent = isNavigation(request) && failOnPage(response, error, command);
      if (!isSent) fail(response, error, onFault);
    });
  });
  const connections = limitConnections(server);

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { method = "GET", headers, url: target = "" } = request;
    const house = { port, access };
    /** A browser gets a page, a program gets data. */
    const refuse = (status: number, message: string): void => {
      if (isNavigation(request))
        sendMessagePage(response, status, refusalPage(status, message, command));
      else sendJson(response, status, { code: status === 401 ? "no_access" : "refused", message });
    };
    if (!PATH.test(target)) {
      options.onRefused?.(400);
      refuse(400, "A request names a path of this server.");
      return;
    }
    const url = new URL(target, `http://127.0.0.1:${port}`);
    const doubled = hasDoubled(request.rawHeaders);
    const isOpen =
      !doubled && isOurHost(headers.host, port) && isFromHere({ method, headers }, port);
    const verdict = judgeRequest({ method, headers, doubled }, house);
    if (verdict.ok) connections.trust(request.socket);
    else connections.touch(request.socket);
    if (isOpen && (await letIn(request, response, url, { port, access, command }))) return;
    const shared = isOpen ? findRoute(publicRoutes, method, url.pathname) : undefined;
    if (shared && "route" in shared) {
      await shared.route.handle({ request, response, url, params: shared.params });
      return;
    }
    if (!verdict.ok) {
      options.onRefused?.(verdict.status);
      refuse(verdict.status, verdict.message);
      return;
    }
    const found = findRoute([...publicRoutes, ...routes], method, url.pathname);
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
    openingUrl: (to) => openingUrl(port, access, to),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The user opened an address in a browser. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const mode = headers["sec-fetch-mode"];
  if (mode !== undefined) return mode === "navigate";
  return method === "GET" && /\btext\/html\b/.test(headers.accept ?? "");
}

function refusalPage(status: number, message: string, command: SignInCommand): MessagePage {
  if (status === 401)
    return {
      title: "Not a page of the board",
      message: "There is no page at this address.",
      state: "failed",
      command,
    };
  return { title: "This page can’t be shown here", message, state: "refused", command };
}

/** Returns false where the failure is the server's own: `fail` reports it. */
function failOnPage(response: ServerResponse, error: unknown, command: SignInCommand): boolean {
  if (!(error instanceof HttpError) || response.headersSent) return false;
  const title = error.status === 404 ? "Not found" : "This did not work";
  const { message, status } = error;
  sendMessagePage(response, status, { title, message, state: "failed", command });
  return true;
}

function fail(response: ServerResponse, error: unknown, onFault: (message: string) => void): void {
  if (error instanceof HttpError && !response.headersSent) {
    const { status, code, message, details } = error;
    sendJson(response, status, { code, message, ...details });
    return;
  }
  onFault(errorMessage(error));
  // A store that is away, a disk that is full: whoever asked can read what to do.
  if (error instanceof WaymarkError && !response.headersSent) {
    sendJson(response, 503, { code: error.code, message: redactedMessage(error) });
    return;
  }
  if (response.headersSent) response.destroy();
  else
    sendJson(response, 500, {
      code: "fault",
      message: "The server failed to answer. Its terminal says why.",
    });
}
