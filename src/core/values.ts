/** Values of which nothing is known yet. */

export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * An object as its fields; nothing where it is none.
 *
 * @param value any value
 * @returns the object, or nothing for any other value
 */
export function fields(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}

/** Whether two values of JSON say the same. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
