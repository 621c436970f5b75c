import { createHash } from "node:crypto";
import { terminalLine } from "../../core/text/escape.ts";
import { type Family, seriesOf } from "../../surfaces/metrics/family.ts";

/** A value in the JSON encoding of OTLP: 64-bit integers are strings. */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

const MAX_LENGTH = 1_024;
const MAX_NAME = 100;

/** Without invisible characters and unpaired surrogates: a collector refuses the whole request because of one. */
export function text(value: string): AnyValue {
  return { stringValue: shown(value) };
}

function shown(value: string, max = MAX_LENGTH): string {
  // Cut first: escaping a long text is slow.
  return terminalLine([...value.slice(0, 2 * max)].slice(0, max).join(""));
}

export function int(value: number): AnyValue {
  return { intValue: String(Math.round(value)) };
}

export function double(value: number): AnyValue {
  return { doubleValue: value };
}

type Attributes = Readonly<Record<string, AnyValue>>;

/** The sender of every request of a process. */
export interface Sender {
  readonly version: string;
  readonly resource: Attributes;
}

/** A span that ended. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly error?: string;
}

/** SPAN_KIND_INTERNAL */
const INTERNAL = 1;
/** STATUS_CODE_ERROR */
const ERROR = 2;

/** An `ExportTraceServiceRequest`. */
export function traceRequest(spans: readonly EndedSpan[], { version, resource }: Sender): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: pairs(resource) },
        scopeSpans: [{ scope: { name: "waymark", version }, spans: spans.map(spanForm) }],
      },
    ],
  };
}

function spanForm({ name, start, end, attributes, error, ...ids }: EndedSpan): object {
  return {
    ...ids,
    name: shown(name, MAX_NAME),
    kind: INTERNAL,
    startTimeUnixNano: nanos(Math.min(start, end)),
    endTimeUnixNano: nanos(end),
    attributes: pairs({ ...attributes, ...(error !== undefined && { "error.type": text(error) }) }),
    ...(error !== undefined && { status: { code: ERROR } }),
  };
}

/** An `ExportMetricsServiceRequest` of gauges; undefined if there are no samples. */
export function metricRequest(
  families: readonly Family[],
  now: number,
  { version, resource }: Sender,
): object | undefined {
  const metrics = families.flatMap((family) => {
    const { name, help } = family;
    const dataPoints = seriesOf(family).map(({ labels, value }) => ({
      attributes: Object.entries(labels).map(([key, label]) => ({ key, value: text(label) })),
      timeUnixNano: nanos(now),
      asDouble: value,
    }));
    return dataPoints.length === 0 ? [] : [{ name, description: help, gauge: { dataPoints } }];
  });
  if (metrics.length === 0) return undefined;
  return {
    resourceMetrics: [
      {
        resource: { attributes: pairs(resource) },
        scopeMetrics: [{ scope: { name: "waymark", version }, metrics }],
      },
    ],
  };
}

function pairs(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value }));
}

function nanos(milliseconds: number): string {
  return `${Math.max(0, Math.round(milliseconds))}000000`;
}

/** A trace id has 32 hexadecimal digits, a span id 16. */
export function hexId(digits: 16 | 32, ...parts: readonly (string | number)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, digits);
}
