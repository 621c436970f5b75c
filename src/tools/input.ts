import type * as z from "zod/mini";
import { errorMessage } from "../core/error.ts";
import type { Rejection } from "../core/model.ts";
import { byteLength } from "../core/text/escape.ts";
import { isDeeperThan } from "../core/text/json-scan.ts";
import {
  joinText,
  line,
  type ModelText,
  modelText,
  NO_TEXT,
  nameList,
  quote,
} from "../core/text/model-text.ts";

/** Bytes of JSON that a tool call may have. */
export const MAX_INPUT = 512 * 1024;
const MAX_DEPTH = 32;
const MAX_NODES = 50_000;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejected: readonly Rejection[] };

function refused<T>(code: Rejection["code"], message: ModelText): Read<T> {
  return { ok: false, rejected: [{ code, message }] };
}

/** Reads the JSON of a tool call; depth is counted on the text, before anything is built from it. */
export function readJson(text: string): Read<unknown> {
  if (text.length > MAX_INPUT)
    return refused(
      "too_large",
      modelText`The input has ${text.length} characters; at most ${MAX_INPUT} are read.`,
    );
  if (text.trim() === "") return { ok: true, value: {} };
  if (isDeeperThan(text, MAX_DEPTH))
    return refused("too_deep", modelText`The input is nested more than ${MAX_DEPTH} levels deep.`);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const reason = errorMessage(error);
    return refused("invalid_json", modelText`The input is not JSON: ${quote(reason, 160)}.`);
  }
}

/** Whatever a host hands over, whole and harmless: bounded, acyclic, without keys that bite. */
export function checkValue(value: unknown): Rejection | undefined {
  try {
    return walk(value);
  } catch (error) {
    // A getter or a proxy of the host: no JSON has such things.
    const reason = errorMessage(error);
    return {
      code: "invalid_input",
      message: modelText`The input cannot be read: ${quote(reason, 160)}.`,
    };
  }
}

function walk(value: unknown): Rejection | undefined {
  const open: { value: unknown; path: readonly (string | number)[] }[] = [{ value, path: [] }];
  let nodes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    if (++nodes > MAX_NODES)
      return {
        code: "too_large",
        message: modelText`The input has more than ${MAX_NODES} values.`,
      };
    if (next.path.length > MAX_DEPTH)
      return {
        code: "too_deep",
        message: modelText`The input is nested more than ${MAX_DEPTH} levels deep.`,
      };
    if (typeof next.value !== "object" || next.value === null) continue;
    if (Array.isArray(next.value) && next.value.length > MAX_NODES)
      return {
        code: "too_large",
        message: modelText`${pathOf(next.path)} has ${next.value.length} entries.`,
      };
    for (const [key, inner] of Object.entries(next.value)) {
      const path = [...next.path, Array.isArray(next.value) ? Number(key) : key];
      if (FORBIDDEN_KEYS.has(key))
        return {
          code: "invalid_input",
          message: modelText`${pathOf(path)} is not allowed as a field name.`,
        };
      open.push({ value: inner, path });
    }
  }
  return undefined;
}

export function parseInput<T>(schema: z.ZodMiniType<T>, input: unknown): Read<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  const rejected = parsed.error.issues.map((issue) => ({
    code: "invalid_input" as const,
    message: explain(issue, input, schema),
  }));
  return { ok: false, rejected };
}

const MAX_PARTS = 8;
const FIELD = /^[A-Za-z_]\w{0,39}$/;

/** Formats a path as in JavaScript: names that are not identifiers are quoted in brackets. */
function pathOf(path: readonly PropertyKey[]): ModelText {
  if (path.length === 0) return modelText`The input`;
  const parts = path.slice(0, MAX_PARTS).map((part, place) => {
    if (typeof part === "number") return modelText`[${part}]`;
    const name = String(part);
    if (!FIELD.test(name)) return modelText`[${quote(name, 40, byteLength)}]`;
    return modelText`${place === 0 ? "" : "."}${line(name)}`;
  });
  return modelText`${joinText(parts, "")}${path.length > MAX_PARTS ? "…" : ""}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, part)
        ? (value as Record<PropertyKey, unknown>)[part]
        : undefined,
    input,
  );
}

function kindOf(value: unknown): ModelText {
  if (value === null) return modelText`null`;
  if (Array.isArray(value)) return modelText`an array`;
  return withArticle(typeof value);
}

function withArticle(noun: string): ModelText {
  return modelText`${/^[aeiou]/.test(noun) ? "an" : "a"} ${line(noun)}`;
}

/** As much of a schema as it takes to find what an object may have. */
interface Schema {
  readonly _zod: { readonly def: object };
}

interface Definition {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly innerType?: Schema;
}

/** The fields that may stand at a place; none where that depends on something else. */
function fieldsAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  let { shape, element, innerType }: Definition = schema._zod.def;
  while (innerType) ({ shape, element, innerType } = innerType._zod.def as Definition);
  const [part, ...rest] = path;
  if (part === undefined) return Object.keys(shape ?? {});
  const inner = typeof part === "number" ? element : shape?.[String(part)];
  return inner ? fieldsAt(inner, rest) : [];
}

/** What is wrong, where, and what to send instead. */
function explain(issue: z.core.$ZodIssue, input: unknown, schema: Schema): ModelText {
  const where = pathOf(issue.path);
  const value = valueAt(input, issue.path);
  const fields = nameList(fieldsAt(schema, issue.path));
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return modelText`${where} is missing.`;
      return modelText`${where} is ${kindOf(value)}; send ${withArticle(issue.expected)}${fields === "" ? NO_TEXT : modelText` of ${fields}`}.`;
    case "invalid_value": {
      if (value === undefined) return modelText`${where} is missing.`;
      const shown = typeof value === "string" ? quote(value, 40, byteLength) : kindOf(value);
      return modelText`${where} is ${shown}; use one of ${nameList(issue.values.map(String))}.`;
    }
    case "unrecognized_keys": {
      const keys = issue.keys.slice(0, 5).map((key) => quote(key, 40, byteLength));
      return modelText`${where} has unknown fields: ${joinText(keys, ", ")}.${fields === "" ? NO_TEXT : modelText` It takes ${fields}.`}`;
    }
    case "too_small":
      return issue.origin === "string"
        ? modelText`${where} is empty.`
        : modelText`${where} needs at least ${Number(issue.minimum)} entries.`;
    case "too_big":
      return modelText`${where} is too long; at most ${Number(issue.maximum)}.`;
    default:
      return modelText`${where} does not fit.`;
  }
}
