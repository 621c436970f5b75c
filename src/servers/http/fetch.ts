import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Handler } from "./routes.ts";

/** Hands a request to what answers requests as `fetch` knows them. */
export function handleWith(answer: (request: Request) => Promise<Response>): Handler {
  return async ({ request, response, url }) => {
    const left = new AbortController();
    response.on("close", () => left.abort());
    const answered = await answer(requestOf(request, url, left.signal));
    answered.headers.forEach((value, name) => {
      response.setHeader(name, value);
    });
    response.writeHead(answered.status);
    if (!answered.body) {
      response.end();
      return;
    }
    const body = Readable.fromWeb(answered.body as Parameters<typeof Readable.fromWeb>[0]);
    // Whoever goes before the end wants no more of it.
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
