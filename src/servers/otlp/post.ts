import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { HOUR } from "../../core/text/duration.ts";
import { terminalLine } from "../../core/text/escape.ts";
import { redactUrl } from "../../core/text/redact.ts";
import type { Endpoint } from "./endpoint.ts";

/** The answer of a collector. */
export type Posted =
  /** `rejected` says why it did not accept everything. */
  | { readonly ok: true; readonly rejected?: string }
  | {
      readonly ok: false;
      readonly why: string;
      /** A retry may succeed. */
      readonly isTemporary: boolean;
      /** Milliseconds to wait before it, if the collector named a time. */
      readonly after?: number;
    };

const compress = promisify(gzip);
/** The status codes for which OTLP allows a retry. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const MAX_ANSWER = 16_384;
const MAX_REASON = 200;

/** Sends one request. Never throws. */
export async function post(
  url: string,
  body: object,
  { headers, gzip: isCompressed, timeout }: Endpoint,
  signal: AbortSignal,
): Promise<Posted> {
  const json = JSON.stringify(body);
  const sent = new Headers(headers);
  sent.set("content-type", "application/json");
  sent.set("user-agent", "waymark");
  if (isCompressed) sent.set("content-encoding", "gzip");
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: sent,
      body: isCompressed ? new Uint8Array(await compress(json)) : json,
      // Data goes to the configured URL only.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    const answer = await readAnswer(response);
    if (response.ok) return accepted(answer);
    const { status } = response;
    const after = retryAfter(response.headers.get("retry-after"));
    return {
      ok: false,
      why: `HTTP ${status}${reason(answer?.message)}`,
      isTemporary: TEMPORARY.has(status),
      ...(after !== undefined && { after }),
    };
  } catch (error) {
    const { name, message, cause } = error as Error;
    const why =
      name === "TimeoutError"
        ? `no answer within ${timeout} ms`
        : (cause instanceof Error && (cause.message || (cause as { code?: string }).code)) ||
          message;
    return { ok: false, why: why.replaceAll(url, redactUrl(url)), isTemporary: true };
  }
}

interface Answer {
  readonly message?: unknown;
  readonly partialSuccess?: Readonly<Record<string, unknown>>;
}

function accepted(answer: Answer | undefined): Posted {
  const { rejectedSpans, rejectedDataPoints, errorMessage } = answer?.partialSuccess ?? {};
  const count = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  return count > 0
    ? { ok: true, rejected: `${count} rejected${reason(errorMessage)}` }
    : { ok: true };
}

function reason(given: unknown): string {
  if (typeof given !== "string" || given === "") return "";
  return `, ${terminalLine(given).slice(0, MAX_REASON)}`;
}

/** The JSON object in the answer; undefined if there is none, or more than a collector answers. */
async function readAnswer(response: Response): Promise<Answer | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part);
    size += part.length;
    // Leaving the loop cancels the rest.
    if (size > MAX_ANSWER) return undefined;
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString());
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After`: seconds or a date. */
function retryAfter(given: string | null): number | undefined {
  if (given === null) return undefined;
  const wait = /^\d+$/.test(given.trim()) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(0, wait), HOUR) : undefined;
}
