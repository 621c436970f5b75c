import { isDeepStrictEqual } from "node:util";

/** Throws if two values differ. The fuzzer recognizes a failure by `what`. */
export function same(what: string, found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`differs: ${what}: ${shown(found)} instead of ${shown(expected)}`);
}

/** Throws unless the condition is true. */
export function holds(what: string, condition: boolean): void {
  if (!condition) throw new Error(`does not hold: ${what}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 500);
}
