/**
 * Measures the longest time that this process blocked its event loop, in milliseconds. CPU time of other
 * processes on a busy machine does not count.
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
