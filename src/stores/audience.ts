import type { Recorded } from "./store.ts";
import { messageOf, type Warn } from "./warn.ts";

export type Listener = (recorded: Recorded) => void;

export interface Audience {
  add(listener: Listener): () => void;
  tell(recorded: Recorded): void;
  clear(): void;
}

/** A listener that throws is reported and keeps listening: what was committed stands. */
export function callListener(listener: Listener, recorded: Recorded, warn: Warn): void {
  try {
    listener(recorded);
  } catch (error) {
    warn(`A watcher failed on event ${recorded.position}: ${messageOf(error)}`);
  }
}

export function createAudience(warn: Warn): Audience {
  const members = new Set<{ readonly listener: Listener }>();
  const waiting: { recorded: Recorded; audience: readonly { readonly listener: Listener }[] }[] =
    [];
  let telling = false;

  return {
    add(listener) {
      const member = { listener };
      members.add(member);
      return () => void members.delete(member);
    },
    // A listener may commit: its event waits until everyone has heard the one before it.
    tell(recorded) {
      waiting.push({ recorded, audience: [...members] });
      if (telling) return;
      telling = true;
      for (let next = waiting.shift(); next; next = waiting.shift())
        for (const member of next.audience)
          if (members.has(member)) callListener(member.listener, next.recorded, warn);
      telling = false;
    },
    clear: () => members.clear(),
  };
}
