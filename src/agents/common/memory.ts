/**
 * What a decoder remembers, as plain data that can be kept on disk. Pairs instead of an object: a
 * foreign key such as `__proto__` is a key like any other, and the oldest is always the first.
 * Looked through several times for every line, so pairs are not taken apart: that takes an iterator each.
 */
export type Memory<T> = [key: string, value: T][];

const MAX_KEPT = 1_000;

export function recall<T>(memory: Memory<T>, key: string): T | undefined {
  return memory.find((pair) => pair[0] === key)?.[1];
}

/** Beyond the cap the oldest is forgotten. */
export function remember<T>(memory: Memory<T>, key: string, value: T): void {
  const known = memory.find((pair) => pair[0] === key);
  if (known) {
    known[1] = value;
    return;
  }
  memory.push([key, value]);
  if (memory.length > MAX_KEPT) memory.shift();
}

/** Takes out what was remembered. */
export function forget<T>(memory: Memory<T>, key: string): T | undefined {
  const index = memory.findIndex((pair) => pair[0] === key);
  return index === -1 ? undefined : memory.splice(index, 1)[0]?.[1];
}

/** At most `max` characters, never half of a surrogate pair. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A short mark of a value: the same for the same content. */
export function printOf(value: unknown): string {
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
