/**
 * Milliseconds of processor time that this process has used. Bounds on work that only computes use
 * it instead of a clock: other programs on the machine do not count.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
