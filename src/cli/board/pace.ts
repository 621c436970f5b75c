/** Draws when there is something to draw, at most ten times in any second. */
export interface Pace {
  soon(): void;
  stop(): void;
}

/** Frames that may follow each other at once: what a person waits for does not wait for a spinner. */
const AT_ONCE = 2;
/** Milliseconds after which one more is granted. */
const GRANTED_EVERY = 125;

/** `draw` answers in how many milliseconds it wants to be called again. */
export function newPace(draw: () => number): Pace {
  let granted = AT_ONCE;
  let grantedAt = performance.now();
  let dueAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const grant = (now: number): void => {
    const more = Math.floor((now - grantedAt) / GRANTED_EVERY);
    granted = Math.min(AT_ONCE, granted + more);
    grantedAt = granted === AT_ONCE ? now : grantedAt + more * GRANTED_EVERY;
  };
  /** What changes by itself leaves one frame for what somebody waits for. */
  const at = (time: number, needed: number): void => {
    const now = performance.now();
    grant(now);
    const missing = Math.max(0, needed - granted);
    const allowed = missing === 0 ? time : Math.max(time, grantedAt + missing * GRANTED_EVERY);
    if (isStopped || allowed >= dueAt) return;
    clearTimeout(timer);
    dueAt = allowed;
    timer = setTimeout(run, Math.max(0, allowed - now));
  };
  const run = (): void => {
    dueAt = Number.POSITIVE_INFINITY;
    grant(performance.now());
    granted--;
    const wait = draw();
    at(performance.now() + wait, AT_ONCE);
  };
  return {
    soon: () => at(performance.now(), 1),
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
