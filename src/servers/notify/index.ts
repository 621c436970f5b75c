/**
 * servers/notify: delivers notifications to the desktop, the terminal bell or a webhook. `core/views/notification`
 * decides what deserves one; `once` ensures that only one process of a home delivers it.
 */
import type { MergedTrack } from "../../core/views/merged.ts";
import { type Notification, newNotifications } from "../../core/views/notification.ts";
import { redactedMessage, type Warn } from "../../engines/storage/warn.ts";
import { notificationText, startTime } from "../../surfaces/text/notification.ts";
import type { Deliver, DeliveryOptions } from "./delivery.ts";
import { openDesktop } from "./desktop.ts";
import { openOnce } from "./once.ts";
import { type Sink, sinkName } from "./sinks.ts";
import { openWebhook } from "./webhook.ts";

/** Notifies the user of agents that finished, stalled or need them. */
export interface Notifier {
  /** Call with all tracks whenever something may have changed. */
  check(tracks: readonly MergedTrack[]): void;
  /** Waits up to two seconds for pending deliveries. */
  close(): Promise<void>;
}

export interface NotifierOptions {
  readonly sinks: readonly Sink[];
  /** Waymark's directory, where deliveries are recorded. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly now: number;
  /** Writes to the terminal of the bell; absent without a terminal. */
  readonly ring?: ((bytes: string) => void) | undefined;
  readonly onProblem: Warn;
  readonly delivery?: DeliveryOptions;
  /** Called after each delivery, with the error if it failed. */
  readonly onDelivered?: (notification: Notification, to: Sink["to"], error?: string) => void;
}

interface Channel {
  readonly sink: Sink;
  readonly deliver: Deliver;
  readonly pending: Notification[];
  sending: Promise<void> | undefined;
  failed: boolean;
}

/** Pending notifications per channel; beyond that the oldest are dropped. */
const MAX_PENDING = 20;
const CLOSE_TIMEOUT = 2_000;

export function openNotifier(options: NotifierOptions): Notifier {
  const { sinks, home, now, onProblem, onDelivered } = options;
  const fresh = newNotifications(startTime());
  const stop = new AbortController();
  let claim: ((name: string) => boolean) | undefined;
  const channels = sinks.flatMap((sink): Channel[] => {
    try {
      const deliver = deliveryTo(sink, options);
      return deliver ? [{ sink, deliver, pending: [], sending: undefined, failed: false }] : [];
    } catch (error) {
      onProblem(redactedMessage(error));
      return [];
    }
  });

  const deliverAll = async (channel: Channel): Promise<void> => {
    for (
      let notification = channel.pending.shift();
      notification;
      notification = channel.pending.shift()
    ) {
      try {
        await channel.deliver(notificationText(notification), notification, stop.signal);
        channel.failed = false;
        onDelivered?.(notification, channel.sink.to);
      } catch (error) {
        onDelivered?.(notification, channel.sink.to, redactedMessage(error));
        // Reported once until a delivery succeeds again.
        if (!channel.failed)
          onProblem(`Cannot send a ${channel.sink.to} notification: ${redactedMessage(error)}.`);
        channel.failed = true;
      }
    }
    channel.sending = undefined;
  };
  const isFirst = (channel: Channel, notification: Notification): boolean => {
    // Every terminal rings its own bell.
    if (channel.sink.to === "bell") return true;
    try {
      claim ??= openOnce(home, now);
      return claim(`${sinkName(channel.sink)} ${notification.key}`);
    } catch (error) {
      onProblem(`Cannot record notifications, so they may be repeated: ${redactedMessage(error)}.`);
      return true;
    }
  };
  return {
    check(tracks) {
      if (channels.length === 0) return;
      for (const notification of fresh(tracks))
        for (const channel of channels) {
          if (!isFirst(channel, notification)) continue;
          channel.pending.push(notification);
          if (channel.pending.length > MAX_PENDING) channel.pending.shift();
          channel.sending ??= deliverAll(channel);
        }
    },
    async close() {
      const timer = setTimeout(() => stop.abort(), CLOSE_TIMEOUT);
      await Promise.all(channels.map(({ sending }) => sending));
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
      // BEL rings; terminals that support OSC 9 also show the text.
      return ring && (({ title, text }) => ring(`\u0007\u001b]9;${title}. ${text}\u0007`));
  }
}
