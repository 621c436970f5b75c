/** Local storage key: when the user last used a page of this browser, in milliseconds. */
const LAST_SEEN = "waymark-last-seen";

/** Milliseconds without input, or hidden, after which the user counts as away. */
const AWAY_AFTER = 30 * 60_000;
/** Limits writes to the storage. */
const SAVE_EVERY = 10_000;
const INPUTS = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

function lastSeen(): number {
  const stored = Number(localStorage.getItem(LAST_SEEN) ?? "");
  const isValid = Number.isSafeInteger(stored) && stored > 0 && stored <= Date.now();
  return isValid ? stored : 0;
}

/** When the user left, if that was at least half an hour ago; undefined in a browser that is new here. */
export function awaySince(): number | undefined {
  const seen = lastSeen();
  return seen > 0 && Date.now() - seen >= AWAY_AFTER ? seen : undefined;
}

/** Records input on this page, and reports a return after half an hour away. Returns a function that ends it. */
export function watchPresence(onReturn: (since: number) => void): () => void {
  const note = (): void => {
    if (document.hidden) return;
    const since = awaySince();
    if (since !== undefined) onReturn(since);
    if (Date.now() - lastSeen() >= SAVE_EVERY) localStorage.setItem(LAST_SEEN, String(Date.now()));
  };
  // The component has read the time of the last visit already.
  if (!document.hidden) localStorage.setItem(LAST_SEEN, String(Date.now()));
  for (const type of INPUTS) addEventListener(type, note, { passive: true });
  document.addEventListener("visibilitychange", note);
  return () => {
    for (const type of INPUTS) removeEventListener(type, note);
    document.removeEventListener("visibilitychange", note);
  };
}
