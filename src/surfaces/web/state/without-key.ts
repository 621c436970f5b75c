/** A map without one of its keys. */
export function withoutKey<Value>(
  all: ReadonlyMap<string, Value>,
  key: string,
): ReadonlyMap<string, Value> {
  const rest = new Map(all);
  rest.delete(key);
  return rest;
}
