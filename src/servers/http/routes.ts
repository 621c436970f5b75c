import type { IncomingMessage, ServerResponse } from "node:http";
import { WaymarkError } from "../../core/error.ts";
import type { Visitor } from "./access/access.ts";

/** A request for a public route, or one that the guard let in. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Absent on public routes. */
  readonly visitor?: Visitor;
  readonly url: URL;
  /** What stands in the places of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

export type Handler = (visit: Visit) => unknown;

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** `/api/tracks/:id`: a name behind a colon stands for one part of the path. */
  readonly path: string;
  readonly handle: Handler;
}

export type Found =
  | { readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] };

/** The route of a path, or which methods the path has; none where the path is not known. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  pathname: string,
): Found | undefined {
  const fitting = routes.flatMap((route) => {
    const params = matchPath(route.path, pathname);
    return params ? [{ route, params }] : [];
  });
  if (fitting.length === 0) return undefined;
  return (
    fitting.find(({ route }) => route.method === method) ?? {
      allowed: fitting.map(({ route }) => route.method),
    }
  );
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = pathname.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: [string, string][] = [];
  for (const [place, part] of wanted.entries()) {
    const said = given[place] ?? "";
    if (!part.startsWith(":")) {
      if (part !== said) return undefined;
      continue;
    }
    const decoded = decode(said);
    if (decoded === undefined || decoded === "") return undefined;
    params.push([part.slice(1), decoded]);
  }
  return Object.fromEntries(params);
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    // Not an encoded text: no track is called so.
    return undefined;
  }
}

/** An answer that is no: with what is wrong and the way out. */
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
        throw new HttpError(413, "too_large", `The body has more than ${MAX_BODY} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    // Whoever goes in the middle of a request has no answer to wait for.
    throw error instanceof HttpError
      ? error
      : new HttpError(400, "cut_off", "The body ended before its end.");
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "invalid_json", "The body is not JSON.");
  }
}
