import * as z from "zod/mini";

/**
 * A schema that is published as the given one but accepts any input. Some SDKs validate the input before the tool runs
 * and answer with their own errors. Waymark's tools accept more than they publish, and their errors tell the model what
 * to change.
 */
export function openSchema(shown: unknown): z.ZodMiniAny {
  const schema = z.any();
  schema._zod.toJSONSchema = () => structuredClone(shown);
  return schema;
}

/** The same for each field, for SDKs that take the fields of an object. */
export function openShape(
  schema: Readonly<Record<string, unknown>>,
): Record<string, z.ZodMiniType> {
  const { properties = {}, required } = schema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.fromEntries(
    Object.entries(properties as Record<string, unknown>).map(([name, shown]) => [
      name,
      needed.includes(name) ? openSchema(shown) : z.optional(openSchema(shown)),
    ]),
  );
}

/**
 * Whether OpenAI's strict mode accepts a schema unchanged: every object is closed and all its fields are required.
 * Optional fields would have to become nullable, and the model would have to send null in every call.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>;
  if (type === "object") {
    const names = Object.keys(properties ?? {});
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || !names.every((name) => needed.includes(name)))
      return false;
  }
  return Object.values(schema).every(isStrictSchema);
}
