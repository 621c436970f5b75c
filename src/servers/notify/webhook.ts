import { setTimeout as wait } from "node:timers/promises";
import { redactUrl } from "../../core/text/redact.ts";
import { isoTime } from "../../core/views/json.ts";
import { type Deliver, type DeliveryOptions, TIMEOUT } from "./delivery.ts";

/** Posts each notification as JSON. Temporary failures are retried, twice by default. */
export function openWebhook(
  url: string,
  { timeout = TIMEOUT, pauses = [1_000, 5_000] }: DeliveryOptions = {},
): Deliver {
  return async (content, notification, signal) => {
    const { kind, key, at, session, agent, agentType, project } = notification;
    const body = JSON.stringify({
      ...content,
      kind,
      at: isoTime(at),
      session,
      agent,
      ...(agentType !== undefined && { agentType }),
      project,
    });
    for (const pause of [...pauses, undefined]) {
      const problem = await post(
        url,
        key,
        body,
        AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      );
      if (problem === undefined) return;
      if (!problem.isTemporary || pause === undefined || signal.aborted)
        throw new Error(problem.why);
      await wait(pause, undefined, { signal, ref: false }).catch(() => {
        throw new Error(problem.why);
      });
    }
  };
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
        // Lets the receiver recognize a retry after a lost response.
        "idempotency-key": Buffer.from(key).toString("base64url").slice(0, 200),
        "user-agent": "waymark",
      },
      body,
      // Notifications go to the configured URL only.
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
