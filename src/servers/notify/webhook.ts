import { isoTime } from "../../core/views/json.ts";
import type { Deliver, DeliveryOptions } from "./delivery.ts";
import { postToWebhook } from "./post.ts";

/** Posts each notification as JSON. Temporary failures are retried, twice by default. */
export function openWebhook(url: string, options: DeliveryOptions = {}): Deliver {
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
    await postToWebhook(url, key, body, options, signal);
  };
}
