import { isRecord } from "../../core/values.ts";
/** Judges one field of what a page sent. */
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

/** An object with these fields, all of them but those that may be left out, and no others. */
export function fits(
  value: unknown,
  shape: Readonly<Record<string, Field>>,
  may: readonly string[] = [],
): value is Record<string, unknown> {
  if (!isRecord(value) || !hasOnly(value, shape)) return false;
  return Object.keys(shape).every((name) => may.includes(name) || Object.hasOwn(value, name));
}
