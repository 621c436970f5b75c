import type * as z from "zod/mini";
import { errorMessage } from "../core/error.ts";
import { alternatives } from "../core/guidance/refusal-texts.ts";
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

/** Limit on the JSON of a tool call, in bytes. */
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

/** Parses the JSON of a tool call. Depth is checked on the text, before anything is built from it. */
export function readJson(text: string): Read<unknown> {
  if (text.length > MAX_INPUT)
    return refused(
      "too_large",
      modelText`The input has ${text.length} characters; the limit is ${MAX_INPUT}.`,
    );
  if (text.trim() === "") return { ok: true, value: {} };
  if (isDeeperThan(text, MAX_DEPTH)) return refused("too_deep", TOO_DEEP);
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const reason = errorMessage(error);
    return refused(
      "invalid_json",
      modelText`The input is not valid JSON: ${quote(reason, 160)}. Send one JSON object.`,
    );
  }
}

const TOO_DEEP = modelText`The input is nested more than ${MAX_DEPTH} levels deep.`;

/** Checks a value from a host before it is parsed: bounded, acyclic, without keys that reach a prototype. */
export function checkValue(value: unknown): Rejection | undefined {
  try {
    return walk(value);
  } catch (error) {
    // A getter or a proxy of the host threw.
    const reason = errorMessage(error);
    return {
      code: "invalid_input",
      message: modelText`The input can't be read: ${quote(reason, 160)}.`,
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
    if (next.path.length > MAX_DEPTH) return { code: "too_deep", message: TOO_DEEP };
    if (typeof next.value !== "object" || next.value === null) continue;
    if (Array.isArray(next.value) && next.value.length > MAX_NODES)
      return {
        code: "too_large",
        message: modelText`${pathOf(next.path)} has ${next.value.length} entries; the limit is ${MAX_NODES}.`,
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

/** A path as in JavaScript, `todos[0].text`; names that are not identifiers are quoted in brackets. */
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

/** The parts of a zod schema that name the fields of an object. */
interface Schema {
  readonly _zod: { readonly def: object };
}

interface Definition {
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly innerType?: Schema;
}

/** The valid fields of the object at a path; none if it is not an object. */
function fieldsAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  let { shape, element, innerType }: Definition = schema._zod.def;
  while (innerType) ({ shape, element, innerType } = innerType._zod.def as Definition);
  const [part, ...rest] = path;
  if (part === undefined) return Object.keys(shape ?? {});
  const inner = typeof part === "number" ? element : shape?.[String(part)];
  return inner ? fieldsAt(inner, rest) : [];
}

/** Where the input is wrong, and what to send instead. */
function explain(issue: z.core.$ZodIssue, input: unknown, schema: Schema): ModelText {
  const where = pathOf(issue.path);
  const value = valueAt(input, issue.path);
  const fields = nameList(fieldsAt(schema, issue.path));
  const required = modelText`${where} is required.`;
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return required;
      return modelText`${where} must be ${withArticle(issue.expected)}${fields === "" ? NO_TEXT : modelText` with ${fields}`}, not ${kindOf(value)}.`;
    case "invalid_value": {
      if (value === undefined) return required;
      const allowed = alternatives(issue.values.map((each) => line(String(each))));
      const shown = typeof value === "string" ? quote(value, 40, byteLength) : kindOf(value);
      return modelText`${where} must be ${allowed}, not ${shown}.`;
    }
    case "unrecognized_keys": {
      const keys = issue.keys.slice(0, 5).map((key) => quote(key, 40, byteLength));
      const inside = issue.path.length === 0 ? NO_TEXT : modelText` in ${where}`;
      const valid = fields === "" ? NO_TEXT : modelText` Valid fields: ${fields}.`;
      return modelText`Unknown ${issue.keys.length === 1 ? "field" : "fields"} ${joinText(keys, ", ")}${inside}.${valid}`;
    }
    case "too_small":
      return issue.origin === "string"
        ? modelText`${where} is empty.`
        : modelText`${where} needs at least ${Number(issue.minimum)} ${Number(issue.minimum) === 1 ? "entry" : "entries"}.`;
    case "too_big":
      return modelText`${where} is too long; the limit is ${Number(issue.maximum)}.`;
    default:
      return modelText`${where} is invalid.`;
  }
}
