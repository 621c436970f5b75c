import type { Home } from "../home/open.ts";
import { hasPending } from "../home/spool.ts";
import { leaseOwners } from "./caller/session.ts";
import type { SessionUpdate } from "./source.ts";

/** Renews the leases of agents whose transcripts are followed. */
export interface LeaseRenewal {
  /** An agent that writes to its transcript is active. */
  renew(updates: readonly SessionUpdate[]): void;
  stop(): void;
}

/** How often the spool is ingested, where hooks leave their events. Short enough for any lease. */
const INGEST_EVERY = 5_000;

export function renewLeases(home: Home, onProblem: (error: unknown) => void): LeaseRenewal {
  const timer = setInterval(() => {
    if (hasPending(home.path)) home.reading().catch(onProblem);
  }, INGEST_EVERY).unref();
  return {
    renew(updates) {
      const now = Date.now();
      for (const { written } of updates) {
        if (!written) continue;
        const { live, event } = written;
        // Some agents record no time: the line was just written.
        const at = event.timestamp > 0 ? Math.min(now, event.timestamp) : now;
        for (const owner of leaseOwners(live)) home.monitor.noteActive(owner, at);
      }
    },
    stop: () => clearInterval(timer),
  };
}
