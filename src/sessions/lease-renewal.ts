import type { Home } from "../home/open.ts";
import { isWaiting } from "../home/spool.ts";
import { ownersAtWork } from "./caller/session.ts";
import type { News } from "./transcripts/follow.ts";

/** What a program that follows agents sees of the holders of tasks. */
export interface Witnessing {
  /** The agents wrote something: they are at work. */
  news(news: readonly News[]): void;
  stop(): void;
}

/** Often enough for any lease; hooks leave what they saw where somebody has to look for it. */
const LOOK = 5_000;

export function witnessing(home: Home, onProblem: (error: unknown) => void): Witnessing {
  const timer = setInterval(() => {
    if (isWaiting(home.path)) home.reading().catch(onProblem);
  }, LOOK).unref();
  return {
    news(news) {
      const now = Date.now();
      for (const { live, event } of news) {
        // Not every agent writes down when something happened; it is written down just now.
        const at = event.timestamp > 0 ? Math.min(now, event.timestamp) : now;
        for (const owner of ownersAtWork(live)) home.witness.saw(owner, at);
      }
    },
    stop: () => clearInterval(timer),
  };
}
