export interface Recent<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
}

/** Remembers the values that were used last, at most `limit` of them. */
export function createRecent<V>(limit: number): Recent<V> {
  const kept = new Map<string, V>();
  return {
    get(key) {
      const value = kept.get(key);
      if (value !== undefined) {
        kept.delete(key);
        kept.set(key, value);
      }
      return value;
    },
    set(key, value) {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size <= limit) return;
      const oldest = kept.keys().next();
      if (!oldest.done) kept.delete(oldest.value);
    },
    delete: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}
