import { Refused } from "./api.ts";

/** Milliseconds until a failed load is retried. */
export const RETRY_MS = 1_500;

export interface LoaderOptions<Answer> {
  fetch(key: string): Promise<Answer>;
  onLoaded(key: string, answer: Answer): void;
  /** Returns whether to retry. */
  onError(key: string, why: Refused): boolean;
  /** Whether the data is still needed when the retry is due. */
  isWanted(key: string): boolean;
}

export interface Loader {
  /**
   * Loads a key, or loads it again after the load in progress, whose result may be older than this call.
   * Resolves when that load succeeded or failed.
   */
  load(key: string): Promise<void>;
}

/** Loads each key at most once at a time, so that an older response never replaces a newer one. */
export function openLoader<Answer>(parts: LoaderOptions<Answer>): Loader {
  const underWay = new Set<string>();
  /** Callers that wait for the next load. */
  const waiting = new Map<string, (() => void)[]>();

  const run = async (key: string): Promise<void> => {
    underWay.add(key);
    try {
      for (let callers = waiting.get(key); callers; callers = waiting.get(key)) {
        waiting.delete(key);
        const answer = await parts.fetch(key).catch(refusal);
        const isRefused = answer instanceof Refused;
        if (!isRefused) parts.onLoaded(key, answer);
        const retries = isRefused && parts.onError(key, answer);
        for (const resolve of callers) resolve();
        if (!retries) continue;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        if (parts.isWanted(key)) waiting.set(key, waiting.get(key) ?? []);
      }
    } finally {
      underWay.delete(key);
    }
  };
  return {
    load(key) {
      return new Promise((resolve) => {
        waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
        if (!underWay.has(key)) void run(key);
      });
    },
  };
}

function refusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}
