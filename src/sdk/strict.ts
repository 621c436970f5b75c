/**
 * Whether OpenAI's strict mode takes a schema as it is: every object closed, and every field of it
 * required. A schema with optional fields would have to ask for nulls in their place, in each call.
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
