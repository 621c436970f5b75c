import { nearest } from "./text/nearest.ts";

/** Describes a value: `undefined`, `a string`, `an array`, … */
function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a Promise that was not awaited";
  return typeof value === "object" ? "another object" : `a ${typeof value}`;
}

/**
 * The error for a wrong argument of a public function, for callers without type checking.
 *
 * @param where the call, such as `list(id)`
 * @param expected what the argument has to be
 * @param given the value that was passed
 * @param fix a sentence that says what to do
 */
export function argumentError(
  where: string,
  expected: string,
  given: unknown,
  fix: string,
): TypeError {
  return new TypeError(`${where}: expected ${expected}, got ${kindOf(given)}. ${fix}`);
}

/** The error for an unknown name; suggests the most similar known one. */
export function unknownName(what: string, given: unknown, known: readonly string[]): TypeError {
  const name = String(given).slice(0, 40);
  const meant = nearest(name, known);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return new TypeError(`Unknown ${what} "${name}".${hint} Known ${what}s: ${known.join(", ")}.`);
}

/** Whether `value` is an object with functions of these names. */
export function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}
