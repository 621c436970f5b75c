/**
 * servers/otlp: sends sessions as traces, todos as their spans, and the figures of `/metrics` to an OpenTelemetry collector, in
 * the JSON encoding of OTLP over HTTP.
 */
import type { Prices } from "../../core/cost/price.ts";
import { MINUTE } from "../../core/text/duration.ts";
import { redactUrl } from "../../core/text/redact.ts";
import { redactedMessage, type Warn } from "../../engines/storage/warn.ts";
import { loadOrCreateMachineId } from "../../home/machine-id.ts";
import type { Feed } from "../../sessions/feed.ts";
import type { ReadMetrics } from "../metrics.ts";
import { type EndedSpan, hexId, metricRequest, type Sender, text, traceRequest } from "./encode.ts";
import type { Endpoint } from "./endpoint.ts";
import { post } from "./post.ts";
import { openSentSpans, type Run } from "./sent.ts";
import { type SpanSource, spanSources } from "./spans.ts";

export interface ExportOptions {
  readonly feed: Pick<Feed, "ready" | "subscribe" | "tracks">;
  readonly metrics: ReadMetrics;
  readonly prices: Prices;
  readonly endpoint: Endpoint;
  /** Includes titles of sessions and texts of todos. */
  readonly content: boolean;
  /** Waymark's directory. */
  readonly home: string;
  readonly version: string;
  readonly onProblem: Warn;
  /** Milliseconds before the first retry; doubles up to a minute. */
  readonly backoff?: number;
}

interface Pending {
  readonly source: SpanSource;
  readonly run: Run;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** By the monotonic clock: evidence and usage may be recorded a moment after the end. */
  readonly dueAt: number;
}

/** A kind of requests: retried and reported by itself, because a collector may take only one of them. */
interface Channel {
  readonly what: "traces" | "metrics";
  /** By the monotonic clock. */
  nextAt: number;
  failures: number;
  isReported: boolean;
}

/** Beyond that, spans wait in the sessions, which are read again. */
const MAX_PENDING = 2_048;
const MAX_BATCH = 256;
const MAX_BACKOFF = MINUTE;
const MAX_TICK = 1_000;
/** Sessions end without a change. */
const SCAN_EVERY = MINUTE;
/** The part of the time that looking at sessions may take. */
const SCAN_SHARE = 1 / 50;
const CLOSE_TIMEOUT = 2_000;

/** Exports until it is closed. Never waits for the collector: a request is in flight beside everything else. */
export function openExport(options: ExportOptions): { close(): Promise<void> } {
  const { feed, metrics, prices, endpoint, content, home, version, onProblem } = options;
  const machine = loadOrCreateMachineId(home);
  const sent = openSentSpans(home, endpoint.traces, Date.now());
  const resource = {
    "service.name": "waymark",
    "service.version": version,
    // Tells the metrics of several machines apart.
    "service.instance.id": machine,
    ...endpoint.resource,
  };
  const sender: Sender = {
    version,
    resource: Object.fromEntries(
      Object.entries(resource).map(([key, value]) => [key, text(value)]),
    ),
  };
  const pending = new Map<string, Pending>();
  /** Spans that the collector refused permanently. */
  const refused = new Set<string>();
  const stopping = new AbortController();
  const traces: Channel = { what: "traces", nextAt: 0, failures: 0, isReported: false };
  const figures: Channel = { what: "metrics", nextAt: 0, failures: 0, isReported: false };
  let isReady = false;
  let isChanged = true;
  let scannedAt = Number.NEGATIVE_INFINITY;
  let scanTime = 0;
  let sending: Promise<void> | undefined;

  const spanIdOf = (key: string, run: number) => hexId(16, machine, key, run);
  const scan = (): void => {
    isChanged = false;
    const began = performance.now();
    const sources = spanSources(feed.tracks(), { prices, now: Date.now(), content });
    const runs = new Map(sources.map((source) => [source.key, sent.observe(source)]));
    for (const source of sources) {
      const { key, parent } = source;
      const run = runs.get(key);
      if (!run || run.isSent) continue;
      const spanId = spanIdOf(key, run.run);
      const known = pending.get(key);
      if (source.isOpen) pending.delete(key);
      else if (!refused.has(spanId) && (known || pending.size < MAX_PENDING))
        pending.set(key, {
          source,
          run,
          spanId,
          ...(parent !== undefined && {
            parentSpanId: spanIdOf(parent, runs.get(parent)?.run ?? 0),
          }),
          dueAt: known?.dueAt ?? began + endpoint.delay,
        });
    }
    scannedAt = performance.now();
    scanTime = scannedAt - began;
  };

  /** Sends one request of a channel. True if the collector took it or will never take it. */
  const send = async (channel: Channel, body: object): Promise<"sent" | "refused" | "failed"> => {
    const url = endpoint[channel.what];
    const result = await post(url, body, endpoint, stopping.signal);
    const report = (why: string, consequence: string): void => {
      // Reported once until a request succeeds again.
      if (!channel.isReported && !stopping.signal.aborted)
        onProblem(`Cannot send ${channel.what} to ${redactUrl(url)}: ${why}. ${consequence}`);
      channel.isReported = true;
    };
    if (result.ok) {
      channel.failures = 0;
      channel.isReported = false;
      if (result.rejected !== undefined) report(result.rejected, "The rest was accepted.");
      return "sent";
    }
    if (!result.isTemporary) {
      report(result.why, "They are not sent again before the next start.");
      return "refused";
    }
    const longest = Math.min((options.backoff ?? 1_000) * 2 ** channel.failures++, MAX_BACKOFF);
    channel.nextAt = performance.now() + (result.after ?? longest * (0.5 + Math.random() / 2));
    report(result.why, "Waymark keeps trying.");
    return "failed";
  };
  const sendSpans = async (isLast: boolean): Promise<void> => {
    for (;;) {
      const now = performance.now();
      if (now < traces.nextAt) return;
      const batch = [...pending].filter(([, { dueAt }]) => isLast || dueAt <= now);
      const taken = batch.slice(0, MAX_BATCH);
      if (taken.length === 0) return;
      const result = await send(traces, traceRequest(taken.map(endedSpan), sender));
      if (result === "failed") return;
      for (const [key, each] of taken) {
        if (result === "sent") sent.add(key, each.run, each.source.end);
        else refused.add(each.spanId);
        pending.delete(key);
      }
      save();
      // Others may have waited for a free place.
      isChanged = true;
    }
  };
  const endedSpan = ([, each]: readonly [string, Pending]): EndedSpan => {
    const { source, run, spanId, parentSpanId } = each;
    return {
      traceId: hexId(32, machine, source.session),
      spanId,
      ...(parentSpanId !== undefined && { parentSpanId }),
      start: run.start,
      end: source.end,
      ...source.describe(run.after),
    };
  };
  const sendMetrics = async (): Promise<void> => {
    if (performance.now() < figures.nextAt) return;
    figures.nextAt = performance.now() + endpoint.interval;
    const body = metricRequest(await metrics(), Date.now(), sender);
    if (body) await send(figures, body);
  };
  let isSaveReported = false;
  const save = (): void => {
    try {
      sent.save();
    } catch (error) {
      if (!isSaveReported)
        onProblem(
          `Cannot record sent traces, so a restart may repeat them: ${redactedMessage(error)}`,
        );
      isSaveReported = true;
    }
  };
  const sendAll = async (isLast: boolean): Promise<void> => {
    await sendSpans(isLast);
    await sendMetrics();
  };
  const tick = (): void => {
    if (!isReady) return;
    const wait = isChanged ? scanTime / SCAN_SHARE : SCAN_EVERY;
    if (performance.now() - scannedAt >= wait) scan();
    sending ??= sendAll(false)
      .catch((error: unknown) => onProblem(`Cannot export: ${redactedMessage(error)}`))
      .finally(() => {
        sending = undefined;
      });
  };
  const unsubscribe = feed.subscribe(() => {
    isChanged = true;
  });
  const timer = setInterval(tick, Math.min(endpoint.delay, MAX_TICK));
  // Sessions that are still being read show earlier states.
  void feed.ready.then(() => {
    isReady = true;
  });
  save();
  return {
    async close() {
      clearInterval(timer);
      unsubscribe();
      const limit = setTimeout(() => stopping.abort(), CLOSE_TIMEOUT);
      await sending;
      if (isReady) {
        scan();
        figures.nextAt = figures.failures > 0 ? figures.nextAt : 0;
        await sendAll(true).catch(() => undefined);
        save();
      }
      clearTimeout(limit);
    },
  };
}
