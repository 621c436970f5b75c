import type { Notification } from "../../core/views/notification.ts";
import type { NotificationText } from "../../surfaces/text/notification.ts";

/** Delivers one notification; aborting the signal cancels the delivery. */
export type Deliver = (
  content: NotificationText,
  notification: Notification,
  signal: AbortSignal,
) => Promise<void> | void;

export interface DeliveryOptions {
  /** Milliseconds for one attempt. */
  readonly timeout?: number;
  /** Milliseconds before each retry after a temporary failure. */
  readonly pauses?: readonly number[];
}

export const TIMEOUT = 5_000;
