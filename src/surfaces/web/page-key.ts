/**
 * The key of this browser, in the database that only pages of this address and port can open. A script cannot read the
 * key, only use it: whoever serves another page on this port later cannot take it away.
 */

export interface PageKey {
  readonly key: CryptoKey;
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
}

const DATABASE = "waymark";
const STORE = "keys";
const NAME = "page";

/** `secret` is hex. Throws where the browser stores nothing. */
export async function keepKey(secret: string, until: number): Promise<void> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, [
    "sign",
    "verify",
  ]);
  await inStore("readwrite", (store) => store.put({ key, until } satisfies PageKey, NAME));
}

/** Undefined if this browser has none, or stores nothing. */
export async function keptKey(): Promise<PageKey | undefined> {
  try {
    const kept: PageKey | undefined = await inStore("readonly", (store) => store.get(NAME));
    return kept && kept.until > Date.now() ? kept : undefined;
  } catch {
    // The user does not let pages store anything.
    return undefined;
  }
}

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await resultOf(opening);
  try {
    return await resultOf(act(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
