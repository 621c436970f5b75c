/**
 * servers/notify: delivers notifications to the desktop, the terminal bell or a webhook. What deserves
 * one is decided in core/views/notification; `once` lets only one process of a home deliver it.
 */
import type { MergedTrack } from "../../core/views/merged.ts";
import { type Notification, newNotifications } from "../../core/views/notification.ts";
import { redactedMessage, type Warn } from "../../engines/storage/warn.ts";
import { fromNowOn, notificationText } from "../../surfaces/text/notification.ts";
import type { Deliver, DeliveryOptions } from "./delivery.ts";
import { openDesktop } from "./desktop.ts";
import { openOnce } from "./once.ts";
import { nameOf, type Sink } from "./sinks.ts";
import { openWebhook } from "./webhook.ts";

/** Tells a person of what happens while they look elsewhere. */
export interface Notifier {
  /** To be called with all tracks whenever something may have changed. */
  look(tracks: readonly MergedTrack[]): void;
  /** Waits for what is on its way, but not for long. */
  close(): Promise<void>;
}

export interface NotifierOptions {
  readonly sinks: readonly Sink[];
  /** Where is remembered what was told. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly now: number;
  /** Writes to the terminal that the bell is to ring in; nothing where there is none. */
  readonly ring?: ((bytes: string) => void) | undefined;
  readonly onProblem: Warn;
  readonly delivery?: DeliveryOptions;
}

interface Way {
  readonly sink: Sink;
  readonly deliver: Deliver;
  readonly waiting: Notification[];
  working: Promise<void> | undefined;
  failed: boolean;
}

/** More at once nobody reads; the newest stay. */
const MAX_WAITING = 20;
const LAST_WORDS = 2_000;

export function openNotifier(options: NotifierOptions): Notifier {
  const { sinks, home, now, onProblem } = options;
  const fresh = newNotifications(fromNowOn());
  const stop = new AbortController();
  let isOurs: ((name: string) => boolean) | undefined;
  const ways = sinks.flatMap((sink): Way[] => {
    try {
      const deliver = deliveryTo(sink, options);
      return deliver ? [{ sink, deliver, waiting: [], working: undefined, failed: false }] : [];
    } catch (error) {
      onProblem(redactedMessage(error));
      return [];
    }
  });

  const work = async (way: Way): Promise<void> => {
    for (let notification = way.waiting.shift(); notification; notification = way.waiting.shift()) {
      try {
        await way.deliver(notificationText(notification), notification, stop.signal);
        way.failed = false;
      } catch (error) {
        // Told once: what is away stays away for a while.
        if (!way.failed)
          onProblem(`Notifying by ${way.sink.to} failed: ${redactedMessage(error)}.`);
        way.failed = true;
      }
    }
    way.working = undefined;
  };
  const isFirst = (way: Way, notification: Notification): boolean => {
    // Every terminal rings for itself.
    if (way.sink.to === "bell") return true;
    try {
      isOurs ??= openOnce(home, now);
      return isOurs(`${nameOf(way.sink)} ${notification.key}`);
    } catch (error) {
      onProblem(`What was notified of cannot be remembered: ${redactedMessage(error)}.`);
      return true;
    }
  };
  return {
    look(tracks) {
      if (ways.length === 0) return;
      for (const notification of fresh(tracks))
        for (const way of ways) {
          if (!isFirst(way, notification)) continue;
          way.waiting.push(notification);
          if (way.waiting.length > MAX_WAITING) way.waiting.shift();
          way.working ??= work(way);
        }
    },
    async close() {
      const timer = setTimeout(() => stop.abort(), LAST_WORDS);
      await Promise.all(ways.map(({ working }) => working));
      clearTimeout(timer);
    },
  };
}

function deliveryTo(sink: Sink, options: NotifierOptions): Deliver | undefined {
  const { ring, env, platform, delivery } = options;
  switch (sink.to) {
    case "desktop":
      return openDesktop(env, platform, delivery);
    case "webhook":
      return openWebhook(sink.url, delivery);
    case "bell":
      // The bell for those who hear it, and the text for terminals that show it.
      return ring && (({ title, text }) => ring(`\u0007\u001b]9;${title}. ${text}\u0007`));
  }
}
