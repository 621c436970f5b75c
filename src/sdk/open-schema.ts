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
