import { redactedMessage, type Warn } from "./warn.ts";

export type Listener<T> = (event: T) => void;

export interface Subscribers<T> {
  add(listener: Listener<T>): () => void;
  notify(event: T): void;
  clear(): void;
}

/** Reports a listener that throws and keeps it subscribed: the event is already committed. */
export function notifyListener<T>(
  listener: Listener<T>,
  event: T,
  position: number,
  warn: Warn,
): void {
  try {
    listener(event);
  } catch (error) {
    warn(`A listener failed on event ${position}: ${redactedMessage(error)}`);
  }
}

export function createSubscribers<T>(positionOf: (event: T) => number, warn: Warn): Subscribers<T> {
  const members = new Set<{ readonly listener: Listener<T> }>();
  const pending: { event: T; recipients: readonly { readonly listener: Listener<T> }[] }[] = [];
  let isNotifying = false;

  return {
    add(listener) {
      const member = { listener };
      members.add(member);
      return () => void members.delete(member);
    },
    // A listener may commit: its event is delivered after every listener has received this one.
    notify(event) {
      pending.push({ event, recipients: [...members] });
      if (isNotifying) return;
      isNotifying = true;
      for (let next = pending.shift(); next; next = pending.shift())
        for (const member of next.recipients)
          if (members.has(member))
            notifyListener(member.listener, next.event, positionOf(next.event), warn);
      isNotifying = false;
    },
    clear: () => members.clear(),
  };
}
