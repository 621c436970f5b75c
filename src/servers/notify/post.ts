import { setTimeout as wait } from "node:timers/promises";
import { redactUrl } from "../../core/text/redact.ts";
import { type DeliveryOptions, TIMEOUT } from "./delivery.ts";

const PAUSES = [1_000, 5_000];

/** Posts JSON to a webhook. Temporary failures are retried, twice by default; throws what failed. */
export async function postToWebhook(
  url: string,
  /** The same for every attempt: lets the receiver recognize a retry after a lost response. */
  key: string,
  body: string,
  { timeout = TIMEOUT, pauses = PAUSES }: DeliveryOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const pause of [...pauses, undefined]) {
    const problem = await post(
      url,
      key,
      body,
      AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    );
    if (problem === undefined) return;
    if (!problem.isTemporary || pause === undefined || signal.aborted) throw new Error(problem.why);
    await wait(pause, undefined, { signal, ref: false }).catch(() => {
      throw new Error(problem.why);
    });
  }
}

interface Problem {
  readonly why: string;
  /** A retry may succeed. */
  readonly isTemporary: boolean;
}

async function post(
  url: string,
  key: string,
  body: string,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": Buffer.from(key).toString("base64url").slice(0, 200),
        "user-agent": "waymark",
      },
      body,
      // Data goes to the configured URL only.
      redirect: "manual",
      signal,
    });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    const isTemporary = answer.status >= 500 || answer.status === 429 || answer.status === 408;
    return { why: `HTTP ${answer.status}`, isTemporary };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message || message : message;
    // fetch quotes a URL that it refuses, including user and password.
    return { why: why.replaceAll(url, redactUrl(url)), isTemporary: true };
  }
}
