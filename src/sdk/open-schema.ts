import * as z from "zod/mini";

/**
 * A schema that is shown as the given one and lets everything through. Some SDKs check an input
 * before the tool sees it and answer in words of their own; ours understands more than it
 * publishes, and says what is wrong in a way that a model can act on.
 */
export function openSchema(shown: unknown): z.ZodMiniAny {
  const schema = z.any();
  schema._zod.toJSONSchema = () => structuredClone(shown);
  return schema;
}

/** The same, field by field, for SDKs that want the fields of an object. */
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
