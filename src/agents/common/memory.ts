/**
 * A bounded map in a decoder's state, as plain JSON data. An array of pairs, not an object: keys are untrusted
 * (`__proto__`), and the oldest pair is always the first. Lookups run several times per line, so they index into the
 * pairs: destructuring would create an iterator for each.
 */
export type Memory<T> = [key: string, value: T][];

const MAX_KEPT = 1_000;

export function recall<T>(memory: Memory<T>, key: string): T | undefined {
  return memory.find((pair) => pair[0] === key)?.[1];
}

/** Sets a value. When the memory is full, the oldest pair is dropped. */
export function remember<T>(memory: Memory<T>, key: string, value: T): void {
  const known = memory.find((pair) => pair[0] === key);
  if (known) {
    known[1] = value;
    return;
  }
  memory.push([key, value]);
  if (memory.length > MAX_KEPT) memory.shift();
}

/** Removes a value and returns it. */
export function forget<T>(memory: Memory<T>, key: string): T | undefined {
  const index = memory.findIndex((pair) => pair[0] === key);
  return index === -1 ? undefined : memory.splice(index, 1)[0]?.[1];
}

/** Cuts a text to `max` characters, never inside a surrogate pair. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A short hash of a JSON value. */
export function hashOf(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code, 0x85ebca6b);
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}
