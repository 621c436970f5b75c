import { fields, list } from "../agents/common/values.ts";
import { isKnownName } from "./known-words.ts";

/** The structure of a record without its content. */
export type Shape = string | { readonly [name: string]: Shape } | readonly Shape[];

/** Fields whose values say what kind of record it is. */
const KINDS: ReadonlySet<string> = new Set(
  "type subtype role status kind op action event method name tool toolName toolId reason stopReason".split(
    " ",
  ),
);

const MAX_DEPTH = 10;
const MAX_FIELDS = 40;
const MAX_SHAPES = 8;

/**
 * The shape of a value: names of fields that consist of known words, types, and how long texts and arrays are. Values
 * are shown only where they name the kind of the record, and only if they consist of known words.
 *
 * @param value a parsed record
 * @param name the field that has it
 */
export function shapeOf(value: unknown, name = "", depth = 0): Shape {
  if (typeof value === "string") return textShape(value, name, depth);
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  const entries = list(value);
  if (depth >= MAX_DEPTH) return entries ? "array" : "object";
  if (entries) {
    const shapes = entries.slice(0, MAX_FIELDS).map((entry) => shapeOf(entry, "", depth + 1));
    const distinct = new Map(shapes.map((shape) => [JSON.stringify(shape), shape]));
    return [
      `array of ${sizeClass(entries.length)}`,
      ...[...distinct.values()].slice(0, MAX_SHAPES),
    ];
  }
  const given = Object.entries(fields(value) ?? {});
  const shown = given
    .slice(0, MAX_FIELDS)
    .map(([key, each], index) => [
      isKnownName(key) ? key : `(name ${index + 1})`,
      shapeOf(each, key, depth + 1),
    ]);
  const more = given.length - shown.length;
  return Object.fromEntries(more > 0 ? [...shown, ["(more)", sizeClass(more)]] : shown);
}

function textShape(value: string, name: string, depth: number): Shape {
  if (KINDS.has(name) && isKnownName(value)) return `'${value}'`;
  const inner = depth < MAX_DEPTH && /^\s*[[{]/.test(value) ? parsedJson(value) : undefined;
  if (inner !== undefined) return { "(JSON)": shapeOf(inner, "", depth + 1) };
  return `text of ${sizeClass(value.length)}`;
}

function parsedJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Exact counts may identify a text. */
export function sizeClass(count: number): string {
  const limits = [0, 1, 4, 16, 64, 256, 1_024, 4_096, 65_536];
  const limit = limits.find((each) => count <= each);
  return limit === undefined ? "more than 65536" : limit < 2 ? String(limit) : `up to ${limit}`;
}
