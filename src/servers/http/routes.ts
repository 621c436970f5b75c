import type { IncomingMessage, ServerResponse } from "node:http";
import { WaymarkError } from "../../core/error.ts";
import type { Client } from "./access/access.ts";

/** A request for a public route, or one that was authorized. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Absent on public routes. */
  readonly client?: Client;
  readonly url: URL;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

export type Handler = (context: RequestContext) => unknown;

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** `/api/tracks/:id`: a name after a colon matches one segment of the path. */
  readonly path: string;
  readonly handle: Handler;
}

export type Found =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] };

/** The route of a path, or the methods that the path allows; undefined for an unknown path. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  pathname: string,
): Found | undefined {
  const matches = routes.flatMap((route) => {
    const params = matchPath(route.path, pathname);
    return params ? [{ route, params }] : [];
  });
  if (matches.length === 0) return undefined;
  return (
    matches.find(({ route }) => route.method === method) ?? {
      allowed: matches.map(({ route }) => route.method),
    }
  );
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const expected = pattern.split("/");
  const segments = pathname.split("/");
  if (expected.length !== segments.length) return undefined;
  const params: [string, string][] = [];
  for (const [index, part] of expected.entries()) {
    const segment = segments[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== segment) return undefined;
      continue;
    }
    const decoded = decode(segment);
    if (decoded === undefined || decoded === "") return undefined;
    params.push([part.slice(1), decoded]);
  }
  return Object.fromEntries(params);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Invalid encoding matches no route.
    return undefined;
  }
}

/** An error response: its message says what is wrong and what to do. */
export class HttpError extends WaymarkError {
  readonly status: number;
  readonly details: object;
  constructor(status: number, code: string, message: string, details: object = {}) {
    super(code, message);
    this.status = status;
    this.details = details;
  }
}

export function badInput(message: string): HttpError {
  return new HttpError(400, "invalid_input", message);
}

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    "content-type": `${type}; charset=utf-8`,
    "content-length": body.length,
    "cache-control": "no-store",
  });
  response.end(body);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, "application/json", JSON.stringify(value));
}

const MAX_BODY = 1024 * 1024;

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json(?:;|$)/i.test(type))
    throw new HttpError(415, "not_json", "Send the body as application/json.");
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY)
        throw new HttpError(413, "too_large", `The body is larger than ${MAX_BODY} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    // The client disconnected, so it receives no response.
    throw error instanceof HttpError
      ? error
      : new HttpError(400, "cut_off", "The body is incomplete.");
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "invalid_json", "The body is not valid JSON.");
  }
}
