import type { Notification } from "../../core/views/notification.ts";
import type { NotificationText } from "../../surfaces/text/notification.ts";

/** Delivers one notification; the signal aborts it. */
export type Deliver = (
  words: NotificationText,
  notification: Notification,
  signal: AbortSignal,
) => Promise<void> | void;

export interface DeliveryOptions {
  /** Milliseconds for one try. */
  readonly timeout?: number;
  /** Milliseconds before each further try, where another may do better. */
  readonly pauses?: readonly number[];
}

export const TIMEOUT = 5_000;
