import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Handler } from "./routes.ts";

/** A route handler that passes requests to a function with the signature of `fetch`. */
export function fetchHandler(answer: (request: Request) => Promise<Response>): Handler {
  return async ({ request, response, url }) => {
    const closed = new AbortController();
    response.on("close", () => closed.abort());
    const answered = await answer(requestOf(request, url, closed.signal));
    answered.headers.forEach((value, name) => {
      response.setHeader(name, value);
    });
    response.writeHead(answered.status);
    if (!answered.body) {
      response.end();
      return;
    }
    const body = Readable.fromWeb(answered.body as Parameters<typeof Readable.fromWeb>[0]);
    // A client that disconnects early ends the body, too.
    body.on("error", () => response.destroy());
    response.on("close", () => body.destroy());
    body.pipe(response);
  };
}

function requestOf(request: IncomingMessage, url: URL, signal: AbortSignal): Request {
  const { method = "GET" } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url, {
    method,
    headers,
    signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
  } as RequestInit);
}
