import type { IncomingHttpHeaders } from "node:http";
import type { Access, Client } from "./access.ts";

export type AuthorizationResult =
  | { readonly ok: true; readonly client: Client }
  | { readonly ok: false; readonly status: 400 | 401 | 403; readonly message: string };

export interface RequestHead {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether a header that must be unique occurs more than once. */
  readonly hasDuplicates: boolean;
}

export interface GuardOptions {
  readonly port: number;
  readonly access: Access;
}

const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Authorizes requests for all routes with data. Pages of other sites are stopped by headers that they cannot forge in a
 * browser: Host and Origin. Every request also needs a token in a header that only our page or a program can set.
 * Cookies are ignored, because browsers send them to every port.
 */
export function authorizeRequest(
  { headers, hasDuplicates }: RequestHead,
  { port, access }: GuardOptions,
): AuthorizationResult {
  if (hasDuplicates) return deny(400, DUPLICATE_HEADER);
  if (!isLoopbackHost(headers.host, port)) return deny(403, WRONG_HOST);
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, port)) return deny(403, CROSS_ORIGIN);
  const bearer = bearerOf(headers.authorization);
  if (bearer === undefined) return deny(401, NO_TOKEN);
  const client = access.clientOf(bearer, port);
  return client ? { ok: true, client } : deny(401, WRONG_TOKEN);
}

const DUPLICATE_HEADER = "Duplicate Host, Origin or Authorization header.";
const WRONG_HOST = "Wrong Host header. Use 127.0.0.1 or localhost with the port of this server.";
const CROSS_ORIGIN = "Cross-origin requests are not allowed.";
const WRONG_TOKEN = "Invalid token. `waymark serve --json` prints the token of this server.";
const NO_TOKEN =
  "Missing token. `waymark serve --json` prints it; send it as `Authorization: Bearer TOKEN`.";

function deny(status: 400 | 401 | 403, message: string): AuthorizationResult {
  return { ok: false, status, message };
}

/** Compares the whole host: a prefix match would accept `localhost.example.com`. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  return host !== undefined && hostsOf(port).includes(host.toLowerCase());
}

/** Whether no page of another site sent the request. Browsers send Origin with every request other than GET. */
export function isSameOrigin(
  { method, headers: { origin } }: Omit<RequestHead, "hasDuplicates">,
  port: number,
): boolean {
  return origin === undefined ? method === "GET" : isOwnOrigin(origin, port);
}

function isOwnOrigin(origin: string, port: number): boolean {
  return hostsOf(port).some((host) => origin === `http://${host}`);
}

/** Clients omit the default port from Host and Origin. */
const DEFAULT_PORT = 80;

function hostsOf(port: number): readonly string[] {
  const hosts = NAMES.map((name) => `${name}:${port}`);
  return port === DEFAULT_PORT ? [...NAMES, ...hosts] : hosts;
}

function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (/^Bearer ([\w.-]+)$/i.exec(header)?.[1] ?? "");
}

const UNIQUE = ["host", "origin", "authorization"];

/** Node joins or drops duplicate headers; only the raw headers show them. */
export function hasDuplicateHeader(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return UNIQUE.some((name) => names.filter((each) => each === name).length > 1);
}
