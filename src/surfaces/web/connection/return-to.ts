/** The address that a signed-out browser asked for, kept until the browser has signed in. */

const KEPT = "waymark-return-to";
/** Milliseconds; an older address is no longer what the user is after. */
const LIFE = 60 * 60_000;
export const SIGN_IN = "/open";
const TO = "?to=";

/** The sign-in page, which leads back to an address. What stands behind the `#` is not sent to the server. */
export function signInAddress({ pathname, search, hash }: Location): string {
  return `${SIGN_IN}#${TO}${encodeURIComponent(pathname + search + hash)}`;
}

/** The one-time code and the address in the hash of a link to the sign-in page. */
export function partsOfLink(
  hash: string,
  origin: string,
): { readonly code: string; readonly to: string | undefined } {
  const [code = "", to] = hash.slice(1).split(TO);
  try {
    return { code, to: to && placeHere(decodeURIComponent(to), origin) };
  } catch {
    // Not an encoded address.
    return { code, to: undefined };
  }
}

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
