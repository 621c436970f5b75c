/** The messages of OTLP that Waymark sends, from the proto files of opentelemetry-proto 1.10. */
const ID = { trace: 32, span: 16 } as const;

type Check = (value: unknown, at: string) => void;

function fail(at: string, what: string, value: unknown): never {
  throw new Error(`${at}: ${what}, got ${JSON.stringify(value)?.slice(0, 100)}`);
}

const string: Check = (value, at) => {
  if (typeof value !== "string" || !value.isWellFormed()) fail(at, "no valid string", value);
};
/** 64-bit integers are decimal strings. */
const uint64: Check = (value, at) => {
  if (typeof value !== "string" || !/^\d{1,20}$/.test(value)) fail(at, "no uint64", value);
  if (BigInt(value) > 2n ** 64n - 1n) fail(at, "more than 64 bits", value);
};
const int64: Check = (value, at) => {
  if (typeof value !== "string" || !/^-?\d{1,19}$/.test(value)) fail(at, "no int64", value);
};
const number: Check = (value, at) => {
  if (typeof value !== "number") fail(at, "no number", value);
};
const member =
  (...values: readonly number[]): Check =>
  (value, at) => {
    if (!values.includes(value as number)) fail(at, "no value of the enum", value);
  };
/** Ids are hexadecimal and not zero. */
const hex =
  (digits: number): Check =>
  (value, at) => {
    if (typeof value !== "string" || !new RegExp(`^[\\da-f]{${digits}}$`).test(value))
      fail(at, `no id of ${digits} digits`, value);
    if (/^0+$/.test(value)) fail(at, "an id of zeros", value);
  };
const list =
  (of: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value) || value.length === 0) fail(at, "no list with entries", value);
    for (const [index, each] of value.entries()) of(each, `${at}[${index}]`);
  };
/** Refuses fields that the message does not have: a collector ignores them, so a misspelled one gets lost. */
const message =
  (fields: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, at) => {
    if (typeof value !== "object" || value === null) fail(at, "no message", value);
    for (const name of required) if (!(name in value)) fail(at, `no field ${name}`, value);
    for (const [name, each] of Object.entries(value)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!check) fail(at, `unknown field ${name}`, value);
      check(each, `${at}.${name}`);
    }
  };

const anyValue: Check = (value, at) => {
  message({ stringValue: string, intValue: int64, doubleValue: number })(value, at);
  if (Object.keys(value as object).length !== 1) fail(at, "not exactly one value", value);
};
const attributes: Check = (value, at) => {
  if (!Array.isArray(value)) fail(at, "no attributes", value);
  for (const [index, each] of value.entries())
    message({ key: string, value: anyValue }, ["key", "value"])(each, `${at}[${index}]`);
  const keys = value.map(({ key }) => key);
  if (new Set(keys).size !== keys.length) fail(at, "repeated keys", keys);
};
const resource = message({ attributes }, ["attributes"]);
const scope = message({ name: string, version: string }, ["name"]);

const span: Check = (value, at) => {
  const required = ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"];
  message(
    {
      traceId: hex(ID.trace),
      spanId: hex(ID.span),
      parentSpanId: hex(ID.span),
      name: string,
      kind: member(1, 2, 3, 4, 5),
      startTimeUnixNano: uint64,
      endTimeUnixNano: uint64,
      attributes,
      status: message({ message: string, code: member(1, 2) }),
    },
    required,
  )(value, at);
  const { startTimeUnixNano: start, endTimeUnixNano: end } = value as Record<string, string>;
  if (BigInt(start ?? 0) > BigInt(end ?? 0)) fail(at, "ends before it starts", value);
};

const dataPoint = message(
  { attributes, timeUnixNano: uint64, startTimeUnixNano: uint64, asDouble: number, asInt: int64 },
  ["timeUnixNano"],
);
const metric = message(
  {
    name: string,
    description: string,
    unit: string,
    gauge: message({ dataPoints: list(dataPoint) }),
  },
  ["name", "gauge"],
);

export const traceRequestSchema = message(
  {
    resourceSpans: list(
      message({ resource, scopeSpans: list(message({ scope, spans: list(span) })) }),
    ),
  },
  ["resourceSpans"],
);
export const metricRequestSchema = message(
  {
    resourceMetrics: list(
      message({ resource, scopeMetrics: list(message({ scope, metrics: list(metric) })) }),
    ),
  },
  ["resourceMetrics"],
);
