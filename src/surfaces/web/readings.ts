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
  /** Reads it, or once more after the reading that is under way: what that brings may be older. */
  want(key: string): void;
}

/** Of everything one reading at a time, so that no older answer comes after a newer one. */
export function openReadings<Answer>(parts: ReadingParts<Answer>): Readings {
  const underWay = new Set<string>();
  const again = new Set<string>();

  const run = async (key: string): Promise<void> => {
    underWay.add(key);
    try {
      do {
        again.delete(key);
        const answer = await parts.read(key).catch(refusal);
        if (!(answer instanceof Refused)) parts.take(key, answer);
        else if (parts.refuse(key, answer)) {
          await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN));
          if (parts.isWanted(key)) again.add(key);
        }
      } while (again.has(key));
    } finally {
      underWay.delete(key);
    }
  };
  return {
    want(key) {
      if (underWay.has(key)) again.add(key);
      else void run(key);
    },
  };
}

function refusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  throw error;
}
