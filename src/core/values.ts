/** Helpers for values of unknown type. */

export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Narrows a value to an object.
 *
 * @param value any value
 * @returns the object, or undefined for arrays and all other values
 */
export function fields(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

/** Whether two JSON values are equal, including the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
