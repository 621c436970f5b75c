/**
 * servers/http: `waymark serve`. Serves the page, its API, server-sent events and MCP over HTTP on loopback. Every
 * request is checked for host, origin and token.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage, WaymarkError } from "../../core/error.ts";
import { redactedMessage } from "../../engines/storage/warn.ts";
import type { Access } from "./access/access.ts";
import { limitConnections } from "./access/connections.ts";
import {
  authorizeRequest,
  hasDuplicateHeader,
  isLoopbackHost,
  isSameOrigin,
} from "./access/guard.ts";
import { type MessagePage, type SignInCommand, sendMessagePage } from "./access/message-page.ts";
import { handleSignIn, signInUrl } from "./access/sign-in.ts";
import { findRoute, HttpError, type Route, sendJson } from "./routes.ts";

export interface HttpServer {
  readonly port: number;
  readonly url: string;
  /** Creates a one-time link that signs in one browser and opens `to` on this server. */
  signInUrl(to?: string): string;
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly routes: readonly Route[];
  /** Routes without data, such as the files of the page; every local user may read them. */
  readonly publicRoutes?: readonly Route[];
  readonly command?: SignInCommand;
  readonly access: Access;
  /** 0 for any free port. */
  readonly port: number;
  /** Called for every request that is not authorized. */
  readonly onRefused?: (status: number) => void;
  readonly onFault: (message: string) => void;
}

/** Resources only from this server, no inline scripts, no framing. */
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

/** Milliseconds within which the headers and the whole request must arrive. */
const HEADERS_TIMEOUT = 4_000;
const REQUEST_TIMEOUT = 10_000;
/** A path on this server, as opposed to an absolute or network-path target, which proxies use. */
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
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
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
    /** Sends a page to browsers and JSON to programs. */
    const refuse = (status: number, message: string): void => {
      if (isNavigation(request))
        sendMessagePage(response, status, refusalPage(status, message, command));
      else sendJson(response, status, { code: status === 401 ? "no_access" : "refused", message });
    };
    if (!PATH.test(target)) {
      options.onRefused?.(400);
      refuse(400, "The request target must be a path that starts with a single slash.");
      return;
    }
    const url = new URL(target, `http://127.0.0.1:${port}`);
    const hasDuplicates = hasDuplicateHeader(request.rawHeaders);
    const isOpen =
      !hasDuplicates &&
      isLoopbackHost(headers.host, port) &&
      isSameOrigin({ method, headers }, port);
    const authorization = authorizeRequest({ method, headers, hasDuplicates }, { port, access });
    if (authorization.ok) connections.trust(request.socket);
    else connections.touch(request.socket);
    if (isOpen && (await handleSignIn(request, response, url, { port, access, command }))) return;
    const shared = isOpen ? findRoute(publicRoutes, method, url.pathname) : undefined;
    if (shared && "route" in shared) {
      await shared.route.handle({ request, response, url, params: shared.params });
      return;
    }
    if (!authorization.ok) {
      options.onRefused?.(authorization.status);
      refuse(authorization.status, authorization.message);
      return;
    }
    const found = findRoute([...publicRoutes, ...routes], method, url.pathname);
    if (!found) throw new HttpError(404, "not_found", `Not found: ${url.pathname}.`);
    if ("allowed" in found) {
      response.setHeader("allow", found.allowed.join(", "));
      throw new HttpError(
        405,
        "not_allowed",
        `${url.pathname} allows only ${found.allowed.join(", ")}.`,
      );
    }
    const { client } = authorization;
    await found.route.handle({ request, response, client, url, params: found.params });
  };

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: "127.0.0.1" }, resolve);
  }).catch((cause: NodeJS.ErrnoException) => {
    const why =
      cause.code === "EADDRINUSE" ? "is already in use" : `cannot be used: ${cause.message}`;
    throw new WaymarkError(
      "port_taken",
      `Port ${options.port} ${why}. Choose another with --port, or use --port 0 for any free port.`,
      { cause },
    );
  });
  const { port } = server.address() as AddressInfo;

  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    signInUrl: (to) => signInUrl(port, access, to),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Whether the user opened the URL in a browser. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const mode = headers["sec-fetch-mode"];
  if (mode !== undefined) return mode === "navigate";
  return method === "GET" && /\btext\/html\b/.test(headers.accept ?? "");
}

function refusalPage(status: number, message: string, command: SignInCommand): MessagePage {
  if (status === 401)
    return {
      title: "Not found",
      message: "There is no page at this address.",
      state: "failed",
      command,
    };
  return { title: "This page can’t be shown here", message, state: "refused", command };
}

/** Returns false for internal errors, which `fail` reports. */
function failOnPage(response: ServerResponse, error: unknown, command: SignInCommand): boolean {
  if (!(error instanceof HttpError) || response.headersSent) return false;
  const title = error.status === 404 ? "Not found" : "Something went wrong";
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
  // Environment errors, such as an unreachable store or a full disk: the message says what to do.
  if (error instanceof WaymarkError && !response.headersSent) {
    sendJson(response, 503, { code: error.code, message: redactedMessage(error) });
    return;
  }
  if (response.headersSent) response.destroy();
  else
    sendJson(response, 500, {
      code: "fault",
      message: "Internal error. See the terminal of `waymark serve`.",
    });
}
