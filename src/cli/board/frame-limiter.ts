/** Draws on request, at most ten times a second. */
export interface FrameLimiter {
  requestFrame(): void;
  stop(): void;
}

/** Size of the token bucket: a frame for the user does not wait for a frame of the spinner. */
const BURST = 2;
/** Milliseconds per token. */
const REFILL_EVERY = 125;

/** `draw` returns the milliseconds after which it wants to be called again. */
export function newFrameLimiter(draw: () => number): FrameLimiter {
  let tokens = BURST;
  let refilledAt = performance.now();
  let dueAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const refill = (now: number): void => {
    const more = Math.floor((now - refilledAt) / REFILL_EVERY);
    tokens = Math.min(BURST, tokens + more);
    refilledAt = tokens === BURST ? now : refilledAt + more * REFILL_EVERY;
  };
  /** Schedules a frame. Animation needs a full bucket, so that one token is left for the user. */
  const schedule = (time: number, needed: number): void => {
    const now = performance.now();
    refill(now);
    const missing = Math.max(0, needed - tokens);
    const allowed = missing === 0 ? time : Math.max(time, refilledAt + missing * REFILL_EVERY);
    if (isStopped || allowed >= dueAt) return;
    clearTimeout(timer);
    dueAt = allowed;
    timer = setTimeout(run, Math.max(0, allowed - now));
  };
  const run = (): void => {
    dueAt = Number.POSITIVE_INFINITY;
    refill(performance.now());
    tokens--;
    const wait = draw();
    schedule(performance.now() + wait, BURST);
  };
  return {
    requestFrame: () => schedule(performance.now(), 1),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
