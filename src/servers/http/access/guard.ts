import type { IncomingHttpHeaders } from "node:http";
import type { Access, Visitor } from "./access.ts";

export type RequestVerdict =
  | { readonly ok: true; readonly visitor: Visitor }
  | { readonly ok: false; readonly status: 400 | 401 | 403; readonly message: string };

export interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** More than one of a header that there must be one of. */
  readonly doubled: boolean;
}

export interface House {
  readonly port: number;
  readonly access: Access;
}

const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Stands before every route with data. A page of another site that reaches this port is stopped by what a browser
 * cannot be made to lie about: the host it believes to talk to, and its origin. Besides, every request needs a secret in
 * a header that only our own page or a program can set. Cookies count for nothing: browsers send them to every port.
 */
export function judgeRequest({ headers, doubled }: Asked, house: House): RequestVerdict {
  if (doubled) return no(400, "A header that must stand once stands twice.");
  if (!isOurHost(headers.host, house.port))
    return no(403, "This server answers to 127.0.0.1 and localhost only.");
  const { origin } = headers;
  if (origin !== undefined && !isOurOrigin(origin, house.port))
    return no(403, "Pages of other sites get no answer here.");
  const bearer = bearerOf(headers.authorization);
  if (bearer === undefined) return no(401, NO_TOKEN);
  const visitor = house.access.visitorOf(bearer, house.port);
  return visitor ? { ok: true, visitor } : no(401, WRONG_TOKEN);
}

const WRONG_TOKEN = "The token is not the one of this server. `waymark serve --json` prints it.";
const NO_TOKEN =
  "Missing token. `waymark serve --json` prints it; send it as `Authorization: Bearer TOKEN`.";

function no(status: 400 | 401 | 403, message: string): RequestVerdict {
  return { ok: false, status, message };
}

/** Compared whole: a name that only begins like ours is somebody else's. */
export function isOurHost(host: string | undefined, port: number): boolean {
  return host !== undefined && ourHosts(port).includes(host.toLowerCase());
}

/** No page of another site sent it. What changes something says where it comes from, in every browser. */
export function isFromHere(
  { method, headers: { origin } }: Omit<Asked, "doubled">,
  port: number,
): boolean {
  return origin === undefined ? method === "GET" : isOurOrigin(origin, port);
}

function isOurOrigin(origin: string, port: number): boolean {
  return ourHosts(port).some((host) => origin === `http://${host}`);
}

/** The port that every client leaves out. */
const HTTP = 80;

function ourHosts(port: number): readonly string[] {
  const whole = NAMES.map((name) => `${name}:${port}`);
  return port === HTTP ? [...NAMES, ...whole] : whole;
}

function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : (/^Bearer ([\w.-]+)$/i.exec(header)?.[1] ?? "");
}

const ONCE = ["host", "origin", "authorization"];

/** Node joins or drops repeated headers; what was really sent is in the raw ones. */
export function hasDoubled(rawHeaders: readonly string[]): boolean {
  const names = rawHeaders.filter((_, place) => place % 2 === 0).map((name) => name.toLowerCase());
  return ONCE.some((name) => names.filter((each) => each === name).length > 1);
}
