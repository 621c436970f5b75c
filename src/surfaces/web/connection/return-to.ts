/** The address that a signed-out browser requested, stored until it has signed in. */

const STORAGE_KEY = "waymark-return-to";
/** Milliseconds after which a stored address is ignored. */
const LIFE = 60 * 60_000;
export const SIGN_IN = "/open";
const TO = "?to=";

/** The sign-in page with a return address in the hash, which is not sent to the server. */
export function signInAddress({ pathname, search, hash }: Location): string {
  return `${SIGN_IN}#${TO}${encodeURIComponent(pathname + search + hash)}`;
}

/** Parses the one-time code and the return address from the hash of a sign-in link. */
export function parseSignInLink(
  hash: string,
  origin: string,
): { readonly code: string; readonly to: string | undefined } {
  const [code = "", to] = hash.slice(1).split(TO);
  try {
    return { code, to: to && localAddress(decodeURIComponent(to), origin) };
  } catch {
    // Not an encoded address.
    return { code, to: undefined };
  }
}

export function storeReturnTo(place: string, now: number): void {
  localStorage.setItem(STORAGE_KEY, JSON.stringify({ place, at: now }));
}

/** Returns and removes the stored address. */
export function takeReturnTo(now: number, origin: string): string | undefined {
  const stored = localStorage.getItem(STORAGE_KEY);
  localStorage.removeItem(STORAGE_KEY);
  if (stored === null) return undefined;
  try {
    const { place, at } = JSON.parse(stored);
    return now - at < LIFE ? localAddress(place, origin) : undefined;
  } catch {
    // Not written by this page.
    return undefined;
  }
}

/** An address on this server as path, query and hash; undefined for any other. */
export function localAddress(text: unknown, origin: string): string | undefined {
  if (typeof text !== "string" || !text.startsWith("/")) return undefined;
  try {
    const url = new URL(text, origin);
    if (url.origin !== origin || url.pathname === SIGN_IN) return undefined;
    return url.pathname + url.search + url.hash;
  } catch {
    return undefined;
  }
}
