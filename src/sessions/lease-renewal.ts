import type { Home } from "../home/open.ts";
import { isWaiting } from "../home/spool.ts";
import { ownersAtWork } from "./caller/session.ts";
import type { SessionUpdate } from "./source.ts";

/** Renews the leases of agents that a program follows. */
export interface LeaseRenewal {
  /** The agents wrote something, so they are at work. */
  renew(updates: readonly SessionUpdate[]): void;
  stop(): void;
}

/** Short enough for any lease. Hooks leave their events in the spool, where some process has to look. */
const LOOK = 5_000;

export function renewLeases(home: Home, onProblem: (error: unknown) => void): LeaseRenewal {
  const timer = setInterval(() => {
    if (isWaiting(home.path)) home.reading().catch(onProblem);
  }, LOOK).unref();
  return {
    renew(updates) {
      const now = Date.now();
      for (const { written } of updates) {
        if (!written) continue;
        const { live, event } = written;
        // Some agents record no times: the line was written just now.
        const at = event.timestamp > 0 ? Math.min(now, event.timestamp) : now;
        for (const owner of ownersAtWork(live)) home.monitor.noteActive(owner, at);
      }
    },
    stop: () => clearInterval(timer),
  };
}
