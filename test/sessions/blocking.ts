/**
 * Measures the longest time for which this process kept its event loop waiting, in milliseconds.
 * Time in which a busy machine ran something else does not count: between two ticks no more was
 * blocked than the process worked.
 */
export function watchBlocking(): () => number {
  let longest = 0;
  let at = performance.now();
  let worked = process.cpuUsage();
  const tick = (): void => {
    const { user, system } = process.cpuUsage(worked);
    longest = Math.max(longest, Math.min(performance.now() - at, (user + system) / 1_000));
    at = performance.now();
    worked = process.cpuUsage();
  };
  const timer = setInterval(tick, 5);
  return () => {
    clearInterval(timer);
    tick();
    return longest;
  };
}
