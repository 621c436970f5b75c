import { redactUrl } from "../../core/text/redact.ts";

/** Where and how often traces and metrics are sent. */
export interface Endpoint {
  readonly traces: string;
  readonly metrics: string;
  readonly headers: Headers;
  readonly gzip: boolean;
  /** Milliseconds for one request. */
  readonly timeout: number;
  /** Milliseconds from the end of a span until it is sent. */
  readonly delay: number;
  /** Milliseconds between two metric exports. */
  readonly interval: number;
  /** Attributes of the resource, from the environment. */
  readonly resource: Readonly<Record<string, string>>;
}

/**
 * Reads the base URL of a collector, and the variables that OpenTelemetry defines for exporters. Those with an endpoint
 * are left out: they are set for other programs too, and nothing is sent unless the user asks Waymark for it.
 */
export function otlpEndpoint(
  given: string,
  env: NodeJS.ProcessEnv,
  refuse: (message: string) => never,
): Endpoint {
  const base = baseUrl(given, refuse);
  const { OTEL_EXPORTER_OTLP_COMPRESSION: compression, OTEL_SERVICE_NAME: service } = env;
  const milliseconds = (name: string, otherwise: number) => {
    const text = env[name]?.trim() ?? "";
    if (text === "") return otherwise;
    const value = Number(text);
    if (Number.isInteger(value) && value > 0 && value <= MAX_TIMER) return value;
    return refuse(`Invalid ${name} "${text.slice(0, 20)}". Use milliseconds, e.g. ${otherwise}.`);
  };
  return {
    traces: signalUrl(base, "traces"),
    metrics: signalUrl(base, "metrics"),
    headers: headersOf(env, refuse),
    gzip: compression === "gzip",
    timeout: milliseconds("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000),
    delay: milliseconds("OTEL_BSP_SCHEDULE_DELAY", 5_000),
    interval: milliseconds("OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    resource: {
      ...Object.fromEntries(pairsOf("OTEL_RESOURCE_ATTRIBUTES", env, refuse)),
      ...(service && { "service.name": service }),
    },
  };
}

/** The longest delay of a timer. */
const MAX_TIMER = 2 ** 31 - 1;
const EXAMPLE = "http://localhost:4318";

function baseUrl(given: string, refuse: (message: string) => never): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    return refuse(
      `Invalid URL "${redactUrl(given).slice(0, 60)}". Use the base URL of an OTLP/HTTP collector, e.g. ${EXAMPLE}.`,
    );
  if (url.username !== "" || url.password !== "")
    return refuse("The URL contains credentials. Put them into WAYMARK_OTLP_HEADERS instead.");
  if (/\/v1\/\w+\/?$/.test(url.pathname))
    return refuse("Use the base URL: /v1/traces and /v1/metrics are appended to it.");
  return url;
}

function signalUrl(base: URL, signal: "traces" | "metrics"): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/${signal}`;
  url.hash = "";
  return url.href;
}

function headersOf(env: NodeJS.ProcessEnv, refuse: (message: string) => never): Headers {
  const name =
    env.WAYMARK_OTLP_HEADERS === undefined ? "OTEL_EXPORTER_OTLP_HEADERS" : "WAYMARK_OTLP_HEADERS";
  const headers = new Headers();
  for (const [key, value] of pairsOf(name, env, refuse))
    try {
      headers.set(key, value);
    } catch {
      // The error of `set` quotes the value, which may be a token.
      refuse(`${name} has a header that HTTP does not allow. Use key=value, comma-separated.`);
    }
  return headers;
}

/** `key=value,key=value`; values are percent-encoded. */
function pairsOf(
  name: string,
  env: NodeJS.ProcessEnv,
  refuse: (message: string) => never,
): readonly (readonly [string, string])[] {
  const parts = (env[name] ?? "").split(",").map((part) => part.trim());
  return parts.flatMap((part) => {
    if (part === "") return [];
    const [, key = "", value = ""] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
    try {
      if (key !== "") return [[key.trim(), decodeURIComponent(value.trim())]];
    } catch {
      // Refused below.
    }
    return refuse(
      `${name} is not a list of key=value, comma-separated, with percent-encoded values.`,
    );
  });
}
