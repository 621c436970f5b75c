import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { metricRequestSchema, traceRequestSchema } from "./schema.ts";

export type Value = string | number;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, Value>>;
}

export interface ReceivedPoint {
  readonly metric: string;
  readonly labels: Readonly<Record<string, Value>>;
  readonly value: number;
}

type Answer = (response: ServerResponse) => void;

/** An OTLP/HTTP receiver that refuses what does not fit the schema. */
export interface Collector {
  readonly url: string;
  /** The spans that it accepted, in order, repeated ones too. */
  readonly spans: readonly ReceivedSpan[];
  /** The points of the last accepted metrics. */
  readonly points: readonly ReceivedPoint[];
  readonly resource: Readonly<Record<string, Value>>;
  /** The reasons for refused requests. */
  readonly problems: readonly string[];
  /** When requests arrived at a path, with their headers. */
  readonly requests: readonly {
    readonly path: string;
    readonly at: number;
    readonly headers: IncomingHttpHeaders;
  }[];
  /** Answers requests to a path instead of accepting them; undefined accepts again. */
  answer(path: "/v1/traces" | "/v1/metrics", answer: Answer | undefined): void;
  close(): Promise<void>;
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, Value>>;
}

const plain = (pairs: readonly Pair[] = []): Record<string, Value> =>
  Object.fromEntries(
    pairs.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? doubleValue ?? Number(intValue),
    ]),
  );

const milliseconds = (nanos: string) => Number(BigInt(nanos) / 1_000_000n);

export async function openCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  let points: readonly ReceivedPoint[] = [];
  let resource: Readonly<Record<string, Value>> = {};
  const problems: string[] = [];
  const requests: { path: string; at: number; headers: IncomingHttpHeaders }[] = [];
  const answers = new Map<string, Answer>();
  const accept = (path: string, text: string): void => {
    const body = JSON.parse(text);
    if (path === "/v1/traces") {
      traceRequestSchema(body, "request");
      resource = plain(body.resourceSpans[0].resource.attributes);
      for (const span of body.resourceSpans[0].scopeSpans[0].spans)
        spans.push({
          ...span,
          start: milliseconds(span.startTimeUnixNano),
          end: milliseconds(span.endTimeUnixNano),
          isError: span.status?.code === 2,
          attributes: plain(span.attributes),
        });
    } else if (path === "/v1/metrics") {
      metricRequestSchema(body, "request");
      points = body.resourceMetrics[0].scopeMetrics[0].metrics.flatMap(
        ({ name, gauge }: { name: string; gauge: { dataPoints: never[] } }) =>
          gauge.dataPoints.map(({ attributes, asDouble }) => ({
            metric: name,
            labels: plain(attributes),
            value: asDouble,
          })),
      );
    } else throw new Error(`unexpected path ${path}`);
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? "";
    const { headers } = request;
    requests.push({ path, at: performance.now(), headers });
    const answer = answers.get(path);
    if (answer) return answer(response);
    try {
      if (headers["content-type"] !== "application/json")
        throw new Error("unexpected content type");
      const body = Buffer.concat(parts);
      accept(path, String(headers["content-encoding"] === "gzip" ? gunzipSync(body) : body));
      response.setHeader("content-type", "application/json").end('{"partialSuccess":{}}');
    } catch (error) {
      problems.push(String(error));
      response.writeHead(400).end(JSON.stringify({ message: String(error) }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get points() {
      return points;
    },
    get resource() {
      return resource;
    },
    problems,
    requests,
    answer(path, given) {
      if (given) answers.set(path, given);
      else answers.delete(path);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
