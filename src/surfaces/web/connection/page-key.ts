import { type KeyAnswer, MAX_KEYS } from "../../../core/page-session.ts";

/**
 * The keys of this browser, one for each server that it signed in to on this port, in a database that only pages of
 * this address and port can open. Scripts can use a key but not read it: another program that gets the port later cannot
 * take it away.
 */

export interface PageKey {
  readonly key: CryptoKey;
  /** When it expires, in milliseconds since 1970. */
  readonly until: number;
}

const DATABASE = "waymark";
const STORE = "keys";

/** Throws where the browser stores nothing. */
export async function keepKey({ server, key: secret, until }: KeyAnswer): Promise<void> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, [
    "sign",
    "verify",
  ]);
  await inStore("readwrite", (store) => store.put({ key, until } satisfies PageKey, server));
}

/** The newest first. None where the browser stores nothing. */
export async function keptKeys(): Promise<readonly PageKey[]> {
  try {
    const kept: PageKey[] = await inStore("readonly", (store) => store.getAll());
    const valid = kept.filter(({ until }) => until > Date.now());
    return valid.sort((a, b) => b.until - a.until).slice(0, MAX_KEYS);
  } catch {
    // The user does not let pages store anything.
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
