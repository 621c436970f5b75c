/** Milliseconds after which a hidden page, which draws no frames, is updated anyway. */
const HIDDEN_MS = 250;

const due = new Set<() => void>();
let frame: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

function run(): void {
  if (frame !== undefined) cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = undefined;
  const acts = [...due];
  due.clear();
  for (const act of acts) act();
}

/**
 * Calls `act` once before the next frame, however often it is requested until then. All functions of a frame run
 * together, so the components that they update are rendered once.
 */
export function onNextFrame(act: () => void): void {
  due.add(act);
  if (frame !== undefined) return;
  frame = requestAnimationFrame(run);
  timer = setTimeout(run, HIDDEN_MS);
}

/** Cancels `onNextFrame`. */
export function notOnNextFrame(act: () => void): void {
  due.delete(act);
}
