import { type KeyResponse, MAX_KEYS } from "../../../core/page-session.ts";

/**
 * The keys of this browser, one per server that it signed in to on this port, in the IndexedDB of this origin. The keys
 * are not extractable, so another program that takes over the port later cannot read them.
 */

export interface PageKey {
  readonly key: CryptoKey;
  /** Expiry, in milliseconds since the epoch. */
  readonly until: number;
}

const DATABASE = "waymark";
const STORE = "keys";

/** Throws if the browser blocks storage. */
export async function storeKey({ server, key: secret, until }: KeyResponse): Promise<void> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, [
    "sign",
    "verify",
  ]);
  await inStore("readwrite", (store) => store.put({ key, until } satisfies PageKey, server));
}

/** Valid keys, newest first; none if the browser blocks storage. */
export async function storedKeys(): Promise<readonly PageKey[]> {
  try {
    const stored: PageKey[] = await inStore("readonly", (store) => store.getAll());
    const valid = stored.filter(({ until }) => until > Date.now());
    return valid.sort((a, b) => b.until - a.until).slice(0, MAX_KEYS);
  } catch {
    // Storage is blocked.
    return [];
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
