/** The address that a signed-out browser asked for, kept until the browser has signed in. */

const KEPT = "waymark-return-to";
/** Milliseconds; an older address is no longer what the user is after. */
const LIFE = 60 * 60_000;
const SIGN_IN = "/open";

export function keepPlace(place: string, now: number): void {
  localStorage.setItem(KEPT, JSON.stringify({ place, at: now }));
}

/** Returns the kept address once. */
export function takePlace(now: number, origin: string): string | undefined {
  const kept = localStorage.getItem(KEPT);
  localStorage.removeItem(KEPT);
  if (kept === null) return undefined;
  try {
    const { place, at } = JSON.parse(kept);
    return now - at < LIFE ? placeHere(place, origin) : undefined;
  } catch {
    // Not written by this page.
    return undefined;
  }
}

/** An address on this server as path, query and hash; undefined for any other. */
export function placeHere(text: unknown, origin: string): string | undefined {
  if (typeof text !== "string" || !text.startsWith("/")) return undefined;
  try {
    const url = new URL(text, origin);
    if (url.origin !== origin || url.pathname === SIGN_IN) return undefined;
    return url.pathname + url.search + url.hash;
  } catch {
    return undefined;
  }
}
