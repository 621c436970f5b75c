import { isRecord } from "../../core/values.ts";

/** Validates one field of a request body. */
export type Field = (value: unknown) => boolean;

const MAX_KEY = 200;

export const isText: Field = (value) => typeof value === "string";
export const isTextOrNull: Field = (value) => value === null || isText(value);
export const isTexts: Field = (value) => Array.isArray(value) && value.every(isText);
export const isKey: Field = (value) =>
  typeof value === "string" && value !== "" && value.length <= MAX_KEY;

export function hasOnly(given: object, shape: Readonly<Record<string, Field>>): boolean {
  return Object.entries(given).every(
    ([name, value]) => Object.hasOwn(shape, name) && shape[name]?.(value),
  );
}

/** Whether the value is an object with exactly these fields; those in `optional` may be absent. */
export function fits(
  value: unknown,
  shape: Readonly<Record<string, Field>>,
  optional: readonly string[] = [],
): value is Record<string, unknown> {
  if (!isRecord(value) || !hasOnly(value, shape)) return false;
  return Object.keys(shape).every((name) => optional.includes(name) || Object.hasOwn(value, name));
}
