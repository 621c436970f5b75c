import { setTimeout as wait } from "node:timers/promises";
import { redactUrl } from "../../core/text/redact.ts";
import { type Deliver, type DeliveryOptions, TIMEOUT } from "./delivery.ts";

/** Posts each notification as JSON; what fails for the moment is tried again, a few times. */
export function openWebhook(
  url: string,
  { timeout = TIMEOUT, pauses = [1_000, 5_000] }: DeliveryOptions = {},
): Deliver {
  return async (words, notification, signal) => {
    const { kind, key, at, session, agent, agentType, project } = notification;
    const body = JSON.stringify({
      ...words,
      kind,
      at,
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
      if (!problem.mayPass || pause === undefined || signal.aborted) throw new Error(problem.why);
      await wait(pause, undefined, { signal, ref: false }).catch(() => {
        throw new Error(problem.why);
      });
    }
  };
}

interface Problem {
  readonly why: string;
  /** It may be gone the next time. */
  readonly mayPass: boolean;
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
        // Whoever gets it twice, because an answer was lost, can tell.
        "idempotency-key": Buffer.from(key).toString("base64url").slice(0, 200),
        "user-agent": "waymark",
      },
      body,
      // An address that sends elsewhere is not the one that was given.
      redirect: "manual",
      signal,
    });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    const mayPass = answer.status >= 500 || answer.status === 429 || answer.status === 408;
    return { why: `it answered ${answer.status}`, mayPass };
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message || message : message;
    // fetch repeats a URL that it refuses, with its user and password.
    return { why: why.replaceAll(url, redactUrl(url)), mayPass: true };
  }
}
