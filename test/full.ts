/**
 * `npm test` runs each test at a size that shows the behavior; `npm run test:faults` sets WAYMARK_FULL=1 and runs
 * the same tests at the size that shows endurance.
 */
export const FULL = process.env.WAYMARK_FULL === "1";

/** How many cases or rounds to run. */
export function sized(quick: number, full: number): number {
  return FULL ? full : quick;
}
