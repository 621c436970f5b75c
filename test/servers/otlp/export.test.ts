import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { pricesFrom } from "../../../src/core/cost/price.ts";
import type { FeedChange } from "../../../src/core/views/changes.ts";
import type { MergedTrack } from "../../../src/core/views/merged.ts";
import { otlpEndpoint } from "../../../src/servers/otlp/endpoint.ts";
import { openExport } from "../../../src/servers/otlp/index.ts";
import { sessionFamilies } from "../../../src/surfaces/metrics/sessions.ts";
import { usageOf } from "../../core/cost/tracks.ts";
import { todo, trackOf } from "../../core/track-of.ts";
import { until } from "../../until.ts";
import { type Collector, openCollector, type ReceivedSpan } from "./collector.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const prices = pricesFrom(new Map([["priced", [{ input: 2, output: 10 }]]]));
const START = Date.now() - 10_000;

/** A feed whose tracks a test sets. */
function feedOf(first: readonly MergedTrack[] = []) {
  let tracks = first;
  const listeners = new Set<(change: FeedChange) => void>();
  return {
    ready: Promise.resolve(),
    tracks: () => tracks as never,
    subscribe(listener: (change: FeedChange) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(now: readonly MergedTrack[]) {
      tracks = now;
      for (const listener of listeners) listener({} as FeedChange);
    },
  };
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "waymark-otlp-"));
  ends.push(() => rmSync(home, { recursive: true }));
  return home;
}

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly content?: boolean;
  readonly home?: string;
  readonly url?: string;
}

async function open(feed: ReturnType<typeof feedOf>, given: Given = {}) {
  const collector = await openCollector();
  ends.push(() => collector.close());
  const problems: string[] = [];
  const home = given.home ?? newHome();
  const start = () => {
    const env = { OTEL_BSP_SCHEDULE_DELAY: "20", ...given.env };
    const exporting = openExport({
      feed,
      metrics: async () => sessionFamilies(feed.tracks(), prices),
      prices,
      endpoint: otlpEndpoint(given.url ?? collector.url, env, (message) => {
        throw new Error(message);
      }),
      content: given.content ?? false,
      home,
      version: "1.2.3",
      onProblem: (message) => problems.push(message),
      backoff: 10,
    });
    let isClosed = false;
    const close = async () => {
      if (!isClosed) await exporting.close();
      isClosed = true;
    };
    ends.push(close);
    return close;
  };
  return { collector, problems, close: start(), start };
}

const merged = (
  todos: MergedTrack["track"]["todos"],
  rest: Partial<MergedTrack> = {},
  track: Partial<MergedTrack["track"]> = {},
): MergedTrack => ({
  track: trackOf(
    todos,
    {},
    {
      agentType: "codex",
      openedAt: START,
      updatedAt: Date.now(),
      ...track,
    },
  ),
  hosted: false,
  state: "working",
  findings: [],
  updatedAt: Date.now(),
  ...rest,
});
const done = (id: string, rest: Parameters<typeof todo>[1] = {}) =>
  todo(id, {
    status: "completed",
    createdAt: START,
    startedAt: START + 1_000,
    finishedAt: Date.now() + 5,
    ...rest,
  });
const received = async (collector: Collector, count: number) => {
  await until(() => collector.spans.length >= count || collector.problems.length > 0, "the spans");
  expect(collector.problems).toEqual([]);
  return collector.spans;
};
const named = (spans: readonly ReceivedSpan[], id: string) =>
  spans.find(({ attributes }) => attributes["waymark.todo.id"] === id);

test("sends a todo when it is closed and the agent when its session ends, in one trace", async () => {
  const feed = feedOf();
  const { collector, problems } = await open(feed);
  const check = { command: "npm test", exitCode: 0, at: START + 2_000 };
  const finishedAt = Date.now() + 5;
  const todos = [
    done("1", { finishedAt, check }),
    done("2", { status: "cancelled", startedAt: undefined as never }),
    todo("3", { status: "in_progress", startedAt: START }),
  ];
  feed.set([merged(todos)]);
  await received(collector, 2);
  expect(collector.spans).toHaveLength(2);
  feed.set([merged(todos, { state: "ended" })]);
  const spans = await received(collector, 3);
  const agent = spans[2];
  expect(agent).toMatchObject({
    name: "invoke_agent Codex",
    start: START,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "Codex",
      "gen_ai.agent.id": "main",
      "gen_ai.conversation.id": "s",
      "waymark.todos.open": 1,
      "waymark.todos.completed": 1,
      "waymark.todos.proven": 1,
    },
  });
  expect(agent).not.toHaveProperty("parentSpanId");
  expect(named(spans, "1")).toMatchObject({
    traceId: agent?.traceId,
    parentSpanId: agent?.spanId,
    name: "todo",
    start: START + 1_000,
    end: finishedAt,
    isError: false,
    attributes: {
      "gen_ai.conversation.id": "s",
      "waymark.todo.status": "completed",
      "waymark.todo.evidence": "verified",
    },
  });
  expect(named(spans, "2")).toMatchObject({
    start: START,
    attributes: { "waymark.todo.status": "cancelled" },
  });
  expect(named(spans, "2")?.attributes).not.toHaveProperty("waymark.todo.evidence");
  expect(collector.resource).toMatchObject({
    "service.name": "waymark",
    "service.version": "1.2.3",
  });
  expect(problems).toEqual([]);
});

test("sends texts and titles only if asked to", async () => {
  const secret = "Paint the secret door";
  const tracks = () => [
    merged(
      [done("1", { text: secret, notes: [secret] })],
      { state: "ended", prompt: secret },
      {
        title: secret,
        cwd: `/home/${secret}`,
      },
    ),
  ];
  for (const content of [false, true]) {
    const feed = feedOf();
    const { collector } = await open(feed, { content });
    feed.set(tracks());
    const sent = JSON.stringify(await received(collector, 2));
    await until(() => collector.points.length > 0, "the metrics");
    expect(sent.includes(secret)).toBe(content);
    expect(JSON.stringify(collector.points)).not.toContain(secret);
    if (content) expect(named(collector.spans, "1")?.name).toBe(secret);
  }
});

test("has tokens and cost, with those of subagents in the todo that started them", async () => {
  const part = (usage: Parameters<typeof usageOf>[0], of?: string) => ({
    at: 0,
    model: "priced",
    ...(of !== undefined && { todo: of }),
    usage: usageOf(usage),
  });
  const feed = feedOf();
  const { collector } = await open(feed);
  const usage = (parts: ReturnType<typeof part>[]) => ({
    parts,
    texts: { 1: "One" },
    focus: [{ at: 0, todo: "1" }],
  });
  feed.set([
    merged([done("1")], {
      state: "ended",
      usage: usage([
        part({ input: 1_000_000, output: 10, cacheRead: 5 }, "1"),
        part({ output: 1 }),
      ]),
    }),
    merged(
      [],
      { state: "idle", usage: usage([part({ output: 100_000 })]) },
      {
        agent: "sub",
        parentAgent: "main",
      },
    ),
  ]);
  const spans = await received(collector, 3);
  const [main, sub] = ["main", "sub"].map((id) =>
    spans.find(({ name, attributes }) => name !== "todo" && attributes["gen_ai.agent.id"] === id),
  );
  expect(sub).toMatchObject({ parentSpanId: main?.spanId, traceId: main?.traceId });
  expect(main?.attributes).toMatchObject({
    "gen_ai.request.model": "priced",
    "gen_ai.usage.input_tokens": 1_000_005,
    "gen_ai.usage.cache_read.input_tokens": 5,
    "gen_ai.usage.output_tokens": 11,
    "waymark.cost.dollars": 2.00011,
    "waymark.tokens.unpriced": 5,
  });
  expect(named(spans, "1")?.attributes).toMatchObject({
    "gen_ai.usage.output_tokens": 100_010,
    "waymark.cost.dollars": 3.0001,
  });
});

test("a failed check is an error", async () => {
  const feed = feedOf();
  const { collector } = await open(feed);
  const proof = { ok: false, at: Date.now(), warnings: [] } as never;
  feed.set([merged([done("1", { proof })])]);
  expect(await received(collector, 1)).toMatchObject([
    {
      isError: true,
      attributes: { "waymark.todo.evidence": "failed", "error.type": "check_failed" },
    },
  ]);
});

test("repeats nothing after a restart, sends what ended in between, and nothing from before the first start", async () => {
  const old = done("1", { finishedAt: Date.now() - 60_000 });
  const feed = feedOf([merged([old])]);
  const { collector, close, start } = await open(feed);
  const first = [old, done("2")];
  feed.set([merged(first)]);
  await received(collector, 1);
  await close();
  feed.set([merged([...first, done("3")])]);
  start();
  const spans = await received(collector, 2);
  feed.set([merged([...first, done("3"), done("4")])]);
  await received(collector, 3);
  expect(spans.map(({ attributes }) => attributes["waymark.todo.id"])).toEqual(["2", "3", "4"]);
});

test("a todo that is reopened, and a session that continues, get another span", async () => {
  const feed = feedOf();
  const { collector, close, start } = await open(feed);
  const end = Date.now() + 5;
  const closed = () => done("1", { finishedAt: end });
  feed.set([merged([closed()], { state: "ended", updatedAt: end }, { updatedAt: end })]);
  await received(collector, 2);
  // A file that is read again from its beginning shows the list as it was.
  feed.set([merged([todo("1")], { state: "working", updatedAt: end - 3 }, { updatedAt: end - 3 })]);
  await close();
  const before = collector.requests.length;
  start();
  const again = end + 50;
  const activity = { turnStartedAt: again } as never;
  feed.set([
    merged(
      [todo("1", { status: "in_progress", startedAt: again })],
      { updatedAt: again, activity },
      {
        updatedAt: again,
      },
    ),
  ]);
  // The first metrics follow the first look at the sessions.
  await until(() => collector.requests.length > before, "the metrics");
  const last = again + 5;
  feed.set([
    merged(
      [done("1", { startedAt: again, finishedAt: last })],
      { state: "ended", updatedAt: last, activity },
      { updatedAt: last },
    ),
  ]);
  const spans = await received(collector, 4);
  await close();
  expect(spans).toHaveLength(4);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  const [, , ...later] = spans;
  const todoSpan = named(later, "1");
  const agentSpan = later.find(({ name }) => name !== "todo");
  expect(todoSpan).toMatchObject({ parentSpanId: agentSpan?.spanId, start: again, end: last });
  expect(agentSpan).toMatchObject({ start: again, end: last });
});

test("keeps spans while the collector is unavailable, waits as long as it says, and reports it once", async () => {
  const feed = feedOf();
  const { collector, problems } = await open(feed);
  const path = "/v1/traces";
  const tried = () => collector.requests.filter((each) => each.path === path);
  collector.answer(path, (response) => response.writeHead(503).end("busy"));
  feed.set([merged([done("1")])]);
  await until(() => tried().length >= 3, "retries");
  collector.answer(path, (response) => response.writeHead(429, { "retry-after": "1" }).end());
  const before = tried().length;
  await until(() => tried().length > before, "the throttled request");
  const throttledAt = tried()[before]?.at ?? 0;
  feed.set([merged([done("1"), done("2")])]);
  collector.answer(path, undefined);
  const spans = await received(collector, 2);
  expect((tried()[before + 1]?.at ?? 0) - throttledAt).toBeGreaterThan(950);
  expect(spans).toHaveLength(2);
  expect(problems).toEqual([
    `Cannot send traces to ${collector.url}${path}: HTTP 503. Waymark keeps trying.`,
  ]);
  // A new failure is news again.
  collector.answer(path, (response) => response.socket?.destroy());
  feed.set([merged([done("1"), done("2"), done("3")])]);
  await until(() => problems.length === 2, "the second problem");
  collector.answer(path, undefined);
  expect(await received(collector, 3)).toHaveLength(3);
});

test("never repeats a request that the collector refuses, before the next start", async () => {
  const feed = feedOf();
  const { collector, problems, close, start } = await open(feed);
  collector.answer("/v1/traces", (response) =>
    response.writeHead(401).end(JSON.stringify({ message: "bad token\u001b[2J" })),
  );
  feed.set([merged([done("1")])]);
  await until(() => problems.length > 0, "the problem");
  expect(problems[0]).toMatch(/HTTP 401, bad token[^\u001b]*\. They are not sent again/);
  collector.answer("/v1/traces", undefined);
  feed.set([merged([done("1"), done("2")])]);
  expect(
    (await received(collector, 1)).map(({ attributes }) => attributes["waymark.todo.id"]),
  ).toEqual(["2"]);
  await close();
  start();
  const spans = await received(collector, 2);
  expect(named(spans, "1")).toBeDefined();
});

test("reports what a collector rejects of a request, and does not repeat it", async () => {
  const feed = feedOf();
  const { collector, problems, close } = await open(feed);
  collector.answer("/v1/traces", (response) =>
    response.end('{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}'),
  );
  feed.set([merged([done("1")])]);
  await until(() => problems.length > 0, "the problem");
  expect(problems[0]).toContain("1 rejected, too old. The rest was accepted.");
  await close();
  expect(collector.requests.filter(({ path }) => path === "/v1/traces")).toHaveLength(1);
});

test("ends in bounded time while the collector does not answer", async () => {
  const feed = feedOf();
  const { collector, close } = await open(feed);
  collector.answer("/v1/traces", () => undefined);
  feed.set([merged([done("1")])]);
  await until(() => collector.requests.some(({ path }) => path === "/v1/traces"), "the request");
  const started = performance.now();
  await close();
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("sends what ended last, and the last figures, when it is closed", async () => {
  const feed = feedOf();
  const delay = { OTEL_BSP_SCHEDULE_DELAY: "200000", OTEL_METRIC_EXPORT_INTERVAL: "200000" };
  const { collector, close } = await open(feed, { env: delay });
  feed.set([merged([done("1")])]);
  // Otherwise it is closed before the sessions are known.
  await feed.ready;
  await close();
  expect(collector.spans).toHaveLength(1);
  expect(collector.points).toContainEqual({
    metric: "waymark_todos",
    labels: { agent: "codex", status: "completed" },
    value: 1,
  });
});

test("sends many spans in batches, and hostile texts as data", async () => {
  const feed = feedOf();
  const { collector, problems } = await open(feed, {
    content: true,
    env: {
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, x-team = a ",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      OTEL_SERVICE_NAME: "agents",
    },
  });
  const text = '"}]\ud800\u0000\u202e'.repeat(300);
  feed.set(
    Array.from({ length: 22 }, (_, n) =>
      merged(
        Array.from({ length: 100 }, (_, id) => done(String(id + 1), { text })),
        {},
        { session: `s${n}` },
      ),
    ),
  );
  const spans = await received(collector, 2_200);
  expect(spans).toHaveLength(2_200);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(2_200);
  expect(problems).toEqual([]);
  expect(collector.requests.filter(({ path }) => path === "/v1/traces").length).toBeLessThan(20);
  expect(collector.requests[0]?.headers).toMatchObject({
    authorization: "Bearer x",
    "x-team": "a",
    "content-encoding": "gzip",
  });
  expect(collector.resource).toMatchObject({
    "service.name": "agents",
    "deployment.environment.name": "test",
  });
});
