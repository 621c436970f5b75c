/** A cache of the most recently used values. */
export interface LruCache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  clear(): void;
}

/** Creates a cache that keeps the `limit` most recently used values. */
export function createLruCache<V>(limit: number): LruCache<V> {
  const values = new Map<string, V>();
  return {
    get(key) {
      const value = values.get(key);
      if (value !== undefined) {
        values.delete(key);
        values.set(key, value);
      }
      return value;
    },
    set(key, value) {
      values.delete(key);
      values.set(key, value);
      if (values.size <= limit) return;
      const oldest = values.keys().next();
      if (!oldest.done) values.delete(oldest.value);
    },
    delete: (key) => void values.delete(key),
    clear: () => values.clear(),
  };
}
