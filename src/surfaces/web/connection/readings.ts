import { Refused } from "./api.ts";

/** Milliseconds after which what was refused is tried again. */
export const TRY_AGAIN = 1_500;

export interface ReadingParts<Answer> {
  read(key: string): Promise<Answer>;
  take(key: string, answer: Answer): void;
  /** Answers whether it is worth another try. */
  refuse(key: string, why: Refused): boolean;
  /** Whether anybody still wants it when the next try is due. */
  isWanted(key: string): boolean;
}

export interface Readings {
  /**
   * Reads it, or once more after the reading that is under way: what that brings may be older.
   * Answers when it was read or refused.
   */
  want(key: string): Promise<void>;
}

/** Of everything one reading at a time, so that no older answer comes after a newer one. */
export function openReadings<Answer>(parts: ReadingParts<Answer>): Readings {
  const underWay = new Set<string>();
  /** Who waits for the next reading. */
  const waiting = new Map<string, (() => void)[]>();

  const run = async (key: string): Promise<void> => {
    underWay.add(key);
    try {
      for (let tell = waiting.get(key); tell; tell = waiting.get(key)) {
        waiting.delete(key);
        const answer = await parts.read(key).catch(refusal);
        const isRefused = answer instanceof Refused;
        if (!isRefused) parts.take(key, answer);
        const isWorthMore = isRefused && parts.refuse(key, answer);
        for (const each of tell) each();
        if (!isWorthMore) continue;
        await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
        if (parts.isWanted(key)) waiting.set(key, waiting.get(key) ?? []);
      }
    } finally {
      underWay.delete(key);
    }
  };
  return {
    want(key) {
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
