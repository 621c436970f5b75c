import { redactedMessage, type Warn } from "./warn.ts";

export type Listener<T> = (told: T) => void;

export interface Audience<T> {
  add(listener: Listener<T>): () => void;
  tell(news: T): void;
  clear(): void;
}

/** A listener that throws is reported and keeps listening: what was committed stands. */
export function callListener<T>(listener: Listener<T>, news: T, place: number, warn: Warn): void {
  try {
    listener(news);
  } catch (error) {
    warn(`A watcher failed on event ${place}: ${redactedMessage(error)}`);
  }
}

export function createAudience<T>(placeOf: (news: T) => number, warn: Warn): Audience<T> {
  const members = new Set<{ readonly listener: Listener<T> }>();
  const waiting: { news: T; audience: readonly { readonly listener: Listener<T> }[] }[] = [];
  let telling = false;

  return {
    add(listener) {
      const member = { listener };
      members.add(member);
      return () => void members.delete(member);
    },
    // A listener may commit: its event waits until everyone has heard the one before it.
    tell(news) {
      waiting.push({ news, audience: [...members] });
      if (telling) return;
      telling = true;
      for (let next = waiting.shift(); next; next = waiting.shift())
        for (const member of next.audience)
          if (members.has(member))
            callListener(member.listener, next.news, placeOf(next.news), warn);
      telling = false;
    },
    clear: () => members.clear(),
  };
}
