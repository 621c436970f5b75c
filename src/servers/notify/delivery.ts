import type { Alert } from "../../core/views/notification.ts";
import type { AlertWords } from "../../surfaces/text/notification.ts";

/** Tells of one alert; the signal says that nobody waits for it any more. */
export type Deliver = (
  words: AlertWords,
  alert: Alert,
  signal: AbortSignal,
) => Promise<void> | void;

export interface DeliveryOptions {
  /** Milliseconds for one try. */
  readonly timeout?: number;
  /** Milliseconds before each further try, where another may do better. */
  readonly pauses?: readonly number[];
}

export const TIMEOUT = 5_000;
