import { HOUR, SECOND } from "../../../core/text/duration.ts";

const FIRST = 30 * SECOND;
const LONGEST = HOUR;
/** Share of the delay that is random, so that tasks that failed together do not return together. */
const JITTER = 0.1;

/**
 * Milliseconds before a failed task is retried: 30 s after the first attempt, doubled by each further
 * one, up to an hour. `random` is from 0 to 1.
 */
export function retryDelay(attempts: number, random: number, first: number = FIRST): number {
  const delay = Math.min(LONGEST, first * 2 ** Math.min(20, Math.max(0, attempts - 1)));
  return Math.round(delay * (1 + JITTER * random));
}
