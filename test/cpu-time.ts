/**
 * Milliseconds of CPU time that this process has used. Bounds on computation use it instead of a clock,
 * so other programs on the machine do not matter.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
