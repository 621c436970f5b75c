import { expect, test } from "vitest";
import { otlpEndpoint } from "../../../src/servers/otlp/endpoint.ts";

const read = (url: string, env: Readonly<Record<string, string>> = {}) =>
  otlpEndpoint(url, env, (message) => {
    throw new Error(message);
  });

test.each([
  ["http://localhost:4318", "http://localhost:4318/v1/traces"],
  ["https://otlp.example.com/base/", "https://otlp.example.com/base/v1/traces"],
  ["http://[::1]:4318/?tenant=a#x", "http://[::1]:4318/v1/traces?tenant=a"],
])("appends the path of a signal to %s", (url, traces) => {
  expect(read(url)).toMatchObject({ traces, metrics: traces.replace("traces", "metrics") });
});

test.each([
  ["localhost:4318", /Invalid URL.*e\.g\. http:\/\/localhost:4318/],
  ["grpc://localhost:4317", /Invalid URL/],
  ["http://localhost:4318/v1/traces", /Use the base URL/],
])("refuses %s", (url, message) => {
  expect(() => read(url)).toThrow(message);
});

test("errors never show a secret", () => {
  const secret = "hunter2";
  for (const attempt of [
    () => read(`https://ann:${secret}@otlp.example.com`),
    () => read(`ftp://ann:${secret}@otlp.example.com`),
    () => read("http://h", { WAYMARK_OTLP_HEADERS: `authorization=Bearer%0A${secret}` }),
    () => read("http://h", { WAYMARK_OTLP_HEADERS: `a=b,${secret}` }),
    () => read("http://h", { OTEL_EXPORTER_OTLP_HEADERS: `a=%${secret}` }),
  ])
    expect(attempt).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret) }),
    );
});

test("its own headers replace those for all programs, and an endpoint for all programs is not used", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://elsewhere:4318",
    OTEL_EXPORTER_OTLP_HEADERS: "a=1",
    OTEL_EXPORTER_OTLP_TIMEOUT: "250",
    OTEL_METRIC_EXPORT_INTERVAL: "",
  };
  const { headers, traces, timeout, interval } = read("http://h", env);
  expect([...headers]).toEqual([["a", "1"]]);
  expect({ traces, timeout, interval }).toEqual({
    traces: "http://h/v1/traces",
    timeout: 250,
    interval: 60_000,
  });
  const own = read("http://h", { ...env, WAYMARK_OTLP_HEADERS: "b=2%2C3" });
  expect([...own.headers]).toEqual([["b", "2,3"]]);
  expect(() => read("http://h", { OTEL_BSP_SCHEDULE_DELAY: "soon" })).toThrow(
    'Invalid OTEL_BSP_SCHEDULE_DELAY "soon". Use milliseconds, e.g. 5000.',
  );
});
